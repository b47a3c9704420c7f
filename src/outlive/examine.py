"""Ask every cause, rank the answers: evidence in, verdict out. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from outlive.evidence import Evidence
from outlive.model import (
    Confidence,
    EndedBy,
    Ending,
    EndingKind,
    Finding,
    RuledOut,
    UnitFailure,
    Verdict,
)
from outlive.unit import Unit, cause, discover

#: While a program lives, only these say what it waits for; what its death would have left is not missing yet.
ASKED_OF_A_HANG = frozenset({"stacks", "waits"})

#: What the parent of a worker sees of its death.
EXPLAINED_BY_A_WORKER = (
    "uncaught-exception",
    "exited-by-program",
    "waiting-forever",
    "background-error-lost",
    "interrupted",
    "terminated-by-process",
    "killed-by-process",
)


def decide(run: str, evidence: Evidence, causes: Sequence[Unit[Evidence]] | None = None) -> Verdict:
    """The verdict on one run. The order in which causes are asked does not matter."""
    units = tuple(causes if causes is not None else discover(cause))
    findings, failures = _ask(units, evidence)
    findings += _of_a_worker(units, evidence)
    ranked = rank(findings, {unit.slug: unit.behind for unit in units})
    return Verdict(
        run=run,
        ending=_with_culprit(evidence, ranked),
        findings=ranked,
        gaps=_open_questions(evidence, units, ranked),
        failures=tuple(sorted(failures, key=lambda failure: failure.slug)),
    )


def _ask(
    units: Sequence[Unit[Evidence]], evidence: Evidence
) -> tuple[list[Finding], list[UnitFailure]]:
    findings: list[Finding] = []
    failures: list[UnitFailure] = []
    for unit in units:
        try:
            findings.extend(replace(finding, slug=unit.slug) for finding in unit.ask(evidence))
        except Exception as error:  # a broken unit is reported and hides nobody else's finding
            failures.append(UnitFailure(unit.slug, f"{type(error).__name__}: {error}"))
    return findings, failures


def _of_a_worker(units: Sequence[Unit[Evidence]], evidence: Evidence) -> list[Finding]:
    """Why the worker died whose death the program failed of: the same causes, asked about the worker."""
    found = evidence.of_crashed_worker()
    if found is None:
        return []
    child, view = found
    findings, _ = _ask(units, view)
    who = f"{child.name} {child.pid}".strip()
    return [
        replace(
            finding,
            says=f"In a worker process ({who}): {finding.says}",
            by=None,
            where=finding.where or child.started,
            behind=tuple(slug for slug in EXPLAINED_BY_A_WORKER if slug != finding.slug),
        )
        for finding in rank(findings, {unit.slug: unit.behind for unit in units})[:1]
    ]


def ruled_out(evidence: Evidence, verdict: Verdict) -> tuple[RuledOut, ...]:
    """The causes without a finding, each with the trace that it would have left, and whether that could be looked for."""
    found = {finding.slug for finding in verdict.findings}
    broken = {failure.slug: failure.error for failure in verdict.failures}
    answers = []
    for unit in discover(cause):
        if unit.slug not in found:
            missing = [
                f"{name}: {evidence.gaps[name]}" for name in unit.needs if name in evidence.gaps
            ]
            why = broken.get(unit.slug) or "; ".join(missing)
            answers.append(RuledOut(unit.slug, unit.headline, unit.section("How we know"), why))
    return tuple(answers)


def rank(findings: Iterable[Finding], behind: Mapping[str, tuple[str, ...]]) -> tuple[Finding, ...]:
    """The best explanation first.

    A cause that lies *behind* another one is the more specific of the two and goes before it, if it is at least likely:
    "a list kept every image" explains "the control group's limit was reached". Otherwise the better evidence goes first.
    """
    left = sorted(findings, key=lambda finding: (-finding.confidence, finding.slug, finding.says))
    ranked: list[Finding] = []
    while left:
        explained = {
            general
            for finding in left
            if finding.confidence >= Confidence.LIKELY
            for general in (*behind.get(finding.slug, ()), *finding.behind)
        }
        best = next((finding for finding in left if finding.slug not in explained), left[0])
        left.remove(best)
        ranked.append(best)
    return tuple(ranked)


def _with_culprit(evidence: Evidence, ranked: Sequence[Finding]) -> Ending:
    """The ending, completed by what the findings know about who ended the program."""
    known = next((finding.by for finding in ranked if finding.by is not None), None)
    if known is None or evidence.ending.by is not EndedBy.UNKNOWN:
        return evidence.ending
    return replace(evidence.ending, by=known)


def _open_questions(
    evidence: Evidence, units: Sequence[Unit[Evidence]], ranked: Sequence[Finding]
) -> Mapping[str, str]:
    """The gaps that matter: those that would have decided, when nothing is proven.

    Where a general cause is proven and a likely one explains it, only what the likely one needs is still open.
    """
    if not evidence.failed or (ranked and ranked[0].confidence is Confidence.PROVEN):
        return {}
    proven = any(finding.confidence is Confidence.PROVEN for finding in ranked)
    open_units = [unit for unit in units if not proven or unit.slug == ranked[0].slug]
    needed = {name for unit in open_units for name in unit.needs}
    if evidence.ending.kind is EndingKind.HANG:
        needed &= ASKED_OF_A_HANG
    return {name: why for name, why in sorted(evidence.gaps.items()) if name in needed}
