"""From evidence to a verdict that may be told. Every road to a verdict ends here: a run, a hang, a notebook's kernel, a test, a worker.

No other module calls ``decide`` (a test holds that): what it answers has not been through the last gate, which takes out secrets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from outlive.coroner.examine import Within, decide, unlimited
from outlive.coroner.foresight import foreseen, forewarned
from outlive.coroner.gather.gather import gather
from outlive.coroner.mask_verdict import hidden
from outlive.coroner.notebook_kernels import failed_kernel
from outlive.coroner.readings.readings import signal_name
from outlive.inside.notes.masking import MASK
from outlive.model.evidence import Evidence
from outlive.model.findings import (
    OF_A_NOTEBOOK,
    Confidence,
    EndedBy,
    Ending,
    EndingKind,
    Fact,
    Finding,
    Remedy,
    Verdict,
)

#: What a caller knows beside the evidence: it is added before the gate.
Completion = Callable[[Verdict], Verdict]


def judge(
    name: str,
    payloads: Sequence[Mapping[str, Any]],
    rings: str | None,
    within: Within = unlimited,
) -> tuple[Verdict, Evidence]:
    """The verdict on a run, and the evidence that it rests on; no secret is in either. ``within`` limits the time for each cause.

    Of a program that runs a notebook: what its kernel died of.
    """
    evidence = gather(payloads, rings)
    kernel = failed_kernel(evidence, rings)
    if kernel is None:
        return judge_evidence(name, evidence, within)
    detail = f"{evidence.run.ending.detail}{OF_A_NOTEBOOK}{kernel.run.ending.detail}"
    ending = replace(evidence.run.ending, detail=detail)
    return judge_evidence(name, kernel, within, lambda it: replace(it, ending=ending))


def judge_evidence(
    name: str,
    evidence: Evidence,
    within: Within = unlimited,
    complete: Completion | None = None,
) -> tuple[Verdict, Evidence]:
    """The verdict on what is known, with what could have been seen before; and the same evidence. No secret is in either."""
    verdict = decide(name, evidence, within=within)
    whole = _with_foresight(complete(verdict) if complete else verdict, evidence)
    whole = _with_warnings(whole, evidence)
    told, known = hidden((whole, evidence))
    findings, warnings = (tuple(map(_typed, its)) for its in (told.findings, told.warnings))
    return replace(told, findings=findings, warnings=warnings), known


def _typed(finding: Finding) -> Finding:
    """A finding without commands that nobody can type, since a part of them was hidden."""
    remedies = tuple(
        replace(one, commands=tuple(command for command in one.commands if MASK not in command))
        for one in finding.remedies
    )
    return finding if remedies == finding.remedies else replace(finding, remedies=remedies)


def undecided(
    name: str, ended_by: int | None, code: int | None, seconds: float, why: str
) -> Verdict:
    """The verdict on a run whose record could not be judged in time: how it ended is known, and why not."""
    how = signal_name(ended_by) if ended_by is not None else None
    kind = EndingKind.SIGNAL if how else EndingKind.EXIT if code else EndingKind.SUCCESS
    words = f"ended by {how}" if how else f"exit status {code}"
    by = EndedBy.UNKNOWN if how else EndedBy.ITSELF
    ending = Ending(kind, how, code, by, f"{words} after {seconds:.1f} s")
    told = f"analysis was cut short: {why}. Without a deadline: outlive why {name} --again"
    return Verdict(name, ending, gaps={"verdict": told})


def _with_warnings(verdict: Verdict, evidence: Evidence) -> Verdict:
    """What the watches said while it ran, after all findings: a warning is not a cause, and does not become one where none is known."""
    said = tuple(
        Finding(
            f"Warned after {warned.at:.0f} s: {warned.says}",
            tuple(
                Fact(name, value, source)
                for name, value, source in warned.facts
                if isinstance(value, str)
            ),
            Confidence.POSSIBLE,
            tuple(Remedy(text, commands) for text, commands in warned.remedies),
            slug=warned.slug,
        )
        for warned in evidence.run.warnings
    )
    if verdict.cause is None:
        return replace(verdict, warnings=said)
    return replace(verdict, findings=(*verdict.findings, *said))


def _with_foresight(verdict: Verdict, evidence: Evidence) -> Verdict:
    """What could have been told before the run, where that is true."""
    seen = foreseen(verdict, evidence.run.program.folder, evidence.notebook.cells)
    return forewarned(seen, evidence)
