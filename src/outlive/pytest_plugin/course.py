"""The course of a test run, from its journal: what had passed, what was running, whether it came to its end."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from outlive.model.findings import EndingKind, Verdict
from outlive.model.quick_dataclass import dataclass
from outlive.pytest_plugin.journal import phases

#: What pytest itself ends with (``pytest.ExitCode``): tests failed, interrupted, internal error, wrong usage, no tests.
OF_PYTEST = range(6)
WRONG_USAGE = 4


@dataclass(frozen=True, slots=True)
class Case:
    """One test that ended."""

    node: str
    outcome: str  #: passed, failed, error or skipped
    seconds: float
    text: str = ""


@dataclass(frozen=True, slots=True)
class Cut:
    """One test that did not end."""

    node: str
    when: str
    pid: int
    in_worker: bool


@dataclass(frozen=True, slots=True)
class Course:
    """What is known of a test run."""

    cases: tuple[Case, ...]
    cut: tuple[Cut, ...]
    collecting: str  #: the module that was being imported
    began: bool
    status: int | None  #: with which pytest came to its end

    def died(self, verdict: Verdict) -> bool:
        """Whether the run, or a worker of it, died. Tests that fail are no death."""
        ending = verdict.ending
        if ending.kind is EndingKind.SIGNAL or any(cut.in_worker for cut in self.cut):
            return True
        if self.status is not None or not self.began:
            return ending.exit_code not in OF_PYTEST
        return ending.exit_code != WRONG_USAGE  # also with 0: something ended it before its end

    @property
    def outlived(self) -> bool:
        """Whether only workers died: pytest itself came to its end, and has written its reports."""
        return self.status is not None and any(cut.in_worker for cut in self.cut)

    def words(self) -> str:
        """Say in which test the run died."""
        whole = [f"{cut.node} ({cut.when})" for cut in self.cut if not cut.in_worker]
        if whole:
            return f"the test run died in {', '.join(whole)}"
        if self.cut and self.status is not None:
            return f"a worker died in {', '.join(f'{it.node} ({it.when})' for it in self.cut)}"
        if self.cut:
            running = ", ".join(f"{it.node} ({it.when})" for it in self.cut)
            return f"the test run died; workers were running {running}"
        if self.status is not None:
            return "the test run died after the last test"
        if self.collecting:
            return f"the test run died while {self.collecting} was imported"
        return "the test run died between two tests" if self.cases else "the test run died"

    def count(self) -> str:
        """What had come of the others."""
        found = [(name, sum(case.outcome == name for case in self.cases)) for name in OUTCOMES]
        told = [f"{number} {name}" for name, number in found if number]
        return ", ".join(told) or "no test had ended"


OUTCOMES = ("passed", "failed", "error", "skipped")


def course_of(steps: Sequence[dict[str, Any]]) -> Course:
    """Read from the steps of the journal which tests ran, how they ended and which were cut off."""
    workers = {step["pid"] for step in phases(steps, "session") if step.get("worker")}
    running: dict[tuple[int, str], str] = {}
    reports: dict[tuple[int, str], list[dict[str, Any]]] = {}
    cases = []
    collecting = ""
    for step in steps:
        key = (step.get("pid", 0), str(step.get("node", "")))
        match step["what"]:
            case "phase":
                running[key] = str(step.get("when", ""))
            case "report":
                reports.setdefault(key, []).append(step)
            case "finish":
                running.pop(key, None)
                cases.append(_case(key[1], reports.pop(key, [])))
            case "collect":
                collecting = key[1]
            case "collected":
                collecting = ""
    ends = [step.get("status") for step in phases(steps, "end")]
    return Course(
        tuple(cases),
        tuple(Cut(node, when, pid, pid in workers) for (pid, node), when in running.items()),
        collecting,
        any(phases(steps, "session")),
        ends[-1] if ends else None,
    )


def _case(node: str, reports: Sequence[dict[str, Any]]) -> Case:
    """The worst of its phases; a failure outside the test itself is an error."""
    seconds = sum(float(report.get("seconds") or 0) for report in reports)
    for report in reports:
        if report.get("outcome") == "failed":
            outcome = "failed" if report.get("when") == "call" else "error"
            return Case(node, outcome, seconds, str(report.get("text", "")))
    for report in reports:
        if report.get("outcome") == "skipped":
            return Case(node, "skipped", seconds, str(report.get("text", "")))
    return Case(node, "passed", seconds)
