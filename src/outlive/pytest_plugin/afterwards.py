"""After a test run that did not end well: was it a death? Then which test it was, and why; and the report that pytest could not write.

Run by `outlive run --on-end`, in the folder where the tests ran; OUTLIVE_RUN names the run.
"""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from dataclasses import replace

from outlive.coroner.gather.gather import gather
from outlive.coroner.judge import judge_evidence
from outlive.coroner.mask_verdict import hidden
from outlive.coroner.stored_verdict import stored_verdict
from outlive.data.atomic_file import replacing
from outlive.model.events import ChildDeath
from outlive.model.evidence import Evidence
from outlive.model.findings import EndingKind, Verdict
from outlive.model.verdict_json import from_json
from outlive.pytest_plugin.course import Course, course_of
from outlive.pytest_plugin.journal import read
from outlive.pytest_plugin.junit import report_of
from outlive.recorder.store import run_folders
from outlive.recorder.store.read_run import read_run, start_of
from outlive.report.hooks.annotate_github import annotate_death
from outlive.report.hooks.on_death import tell_of_a_death
from outlive.report.terminal import console_on, neighbours_in
from outlive.report.text import render, visible

#: What a run whose tests failed ends by.
OF_THE_TESTS = ("uncaught-exception", "exited-by-program")


def main(arguments: Sequence[str] | None = None) -> int:
    """Tell; the status is of interest to nobody."""
    parser = argparse.ArgumentParser(prog="outlive.pytest_plugin")
    parser.add_argument("journal")
    parser.add_argument("--junitxml")
    parser.add_argument("--then")
    given = parser.parse_args(arguments)
    course = hidden(course_of(read(given.journal)))  # names and texts of tests
    try:
        os.unlink(given.journal)
    except OSError:
        pass
    folder = run_folders.find_run(os.environ.get("OUTLIVE_RUN"))
    verdict = from_json(sys.stdin.read())  # masked; of a death, the whole one is in the record
    verdict = stored_verdict(folder) or verdict
    if not course.died(verdict):
        return 0
    payloads, rings = read_run(folder)
    if course.outlived:
        verdict = _of_worker(course, verdict, gather(payloads, rings))
    start = start_of(payloads)
    where = str(start.get("folder", ""))
    _say(course, verdict, where)
    annotate_death(verdict, where, " ".join(map(str, start.get("command", ()))))
    if given.junitxml and course.status is None:  # else pytest has written it
        _write(given.junitxml, report_of(course, verdict, _told(verdict)))
    if given.then:
        tell_of_a_death(given.then, verdict, lambda text: print(text, file=sys.stderr))
    return 0


def _of_worker(course: Course, verdict: Verdict, evidence: Evidence) -> Verdict:
    """Why a worker died. What the whole run ended by is the failure of its tests, and no answer."""
    pids = {cut.pid for cut in course.cut}
    for child in evidence.children.deaths:
        if child.pid in pids:
            of_worker, _ = judge_evidence(verdict.run, evidence.of_child(child))
            if of_worker.cause is not None:
                told = {(it.slug, it.says): it for it in reversed(of_worker.findings)}
                once = tuple(it for it in of_worker.findings if told[it.slug, it.says] is it)
                ending = replace(of_worker.ending, detail=_how(child))
                return replace(of_worker, ending=ending, findings=once)
    others = tuple(finding for finding in verdict.findings if finding.slug not in OF_THE_TESTS)
    return replace(verdict, findings=others)


def _how(child: ChildDeath) -> str:
    how = f"by {child.signal}" if child.signal else f"with status {child.exit_code}"
    return f"worker {child.pid} ended {how}"


def _say(course: Course, verdict: Verdict, folder: str) -> None:
    console = console_on(sys.stderr)
    console.print()
    well = verdict.ending.kind is EndingKind.SUCCESS
    lie = " It ended with status 0, as if it had passed." if well else ""
    text = f"outlive: {course.words()}; {course.count()}.{lie}"
    console.print(visible(text), style="bold red", soft_wrap=True)
    if not well:
        render(verdict, console, neighbours_in(folder))


def _told(verdict: Verdict) -> str:
    stream = io.StringIO()
    render(verdict, console_on(stream))
    return stream.getvalue()


def _write(path: str, data: bytes) -> None:
    """Whole or not at all: a report that was cut off is worse than none."""
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with replacing(path) as beside, open(beside, "wb") as file:
            file.write(data)
    except OSError as error:
        print(f"outlive: {path} could not be written: {error.strerror}.", file=sys.stderr)
