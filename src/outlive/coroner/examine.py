"""Ask every cause, rank the answers: evidence in, verdict out. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace

from outlive.model.evidence import Evidence
from outlive.model.findings import (
    NO_EFFECT,
    Confidence,
    EndedBy,
    Ending,
    EndingKind,
    Finding,
    RuledOut,
    UnitFailure,
    Verdict,
)
from outlive.units.unit import Unit, cause, discover

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


#: What says no more than that the program ended itself.
PROVEN_BY_WORDS = ("uncaught-exception", "exited-by-program", "exited-without-cleanup")

#: Limits what one cause may take: it is asked inside of what this gives for its name.
Within = Callable[[str], AbstractContextManager[None]]


def unlimited(what: str) -> AbstractContextManager[None]:
    """Let a cause take its time."""
    return nullcontext()


def decide(
    run: str,
    evidence: Evidence,
    causes: Sequence[Unit[Evidence]] | None = None,
    within: Within = unlimited,
) -> Verdict:
    """The verdict on one run. The order in which causes are asked does not matter."""
    units = tuple(causes if causes is not None else discover(cause))
    findings, failures = _ask(units, evidence, within)
    findings += _of_a_worker(units, evidence, within)
    findings = [_doubted(finding, evidence) for finding in findings]
    ranked = rank(findings, {unit.slug: unit.behind for unit in units})
    return Verdict(
        run=run,
        ending=_with_culprit(evidence, ranked),
        findings=ranked,
        gaps=_open_questions(evidence, units, ranked),
        failures=tuple(sorted(failures, key=lambda failure: failure.slug)),
    )


def _ask(
    units: Sequence[Unit[Evidence]], evidence: Evidence, within: Within
) -> tuple[list[Finding], list[UnitFailure]]:
    findings: list[Finding] = []
    failures: list[UnitFailure] = []
    for unit in units:
        try:
            with within(f"asking for {unit.slug}"):
                answers = [replace(finding, slug=unit.slug) for finding in unit.ask(evidence)]
            findings += answers
        except Exception as error:  # a broken unit is reported and hides nobody else's finding
            failures.append(UnitFailure(unit.slug, f"{type(error).__name__}: {error}"))
    return findings, failures


def _doubted(finding: Finding, evidence: Evidence) -> Finding:
    """A finding, not proven where the program ended for words of its own: a ``raise`` in the user's code proves that it was raised, and no more."""
    if (
        finding.slug in PROVEN_BY_WORDS
        or evidence.run.ending.signal
        or not evidence.errors.only_words
    ):
        return finding
    return replace(finding, confidence=min(finding.confidence, Confidence.LIKELY))


def _of_a_worker(
    units: Sequence[Unit[Evidence]], evidence: Evidence, within: Within
) -> list[Finding]:
    """Why the worker died whose death the program failed of: the same causes, asked about the worker."""
    found = evidence.of_crashed_worker()
    if found is None:
        return []
    child, view = found
    findings, _ = _ask(units, view, within)
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
                f"{name}: {evidence.run.gaps[name]}"
                for name in unit.needs
                if name in evidence.run.gaps
            ]
            why = broken.get(unit.slug) or "; ".join(missing)
            answers.append(RuledOut(unit.slug, unit.headline, unit.section("How we know"), why))
    return tuple(answers)


def rank(findings: Iterable[Finding], behind: Mapping[str, tuple[str, ...]]) -> tuple[Finding, ...]:
    """The best explanation first.

    A cause that lies *behind* another one is the more specific of the two and goes before it, if it is at least likely:
    "a list kept every image" explains "the cgroup's limit was reached". Otherwise the better evidence goes first.
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
    if known is None or evidence.run.ending.by is not EndedBy.UNKNOWN:
        return evidence.run.ending
    return replace(evidence.run.ending, by=known)


#: Parts of the record that were left out: nobody knows what they would have said.
ALWAYS_TOLD = frozenset({"record", "files of the record"})


def _open_questions(
    evidence: Evidence, units: Sequence[Unit[Evidence]], ranked: Sequence[Finding]
) -> Mapping[str, str]:
    """The gaps that matter: those that would have decided, when nothing is proven.

    Where a general cause is proven and a likely one explains it, only what the likely one needs is still open.
    """
    always = {
        name: why
        for name, why in evidence.run.gaps.items()
        if name in ALWAYS_TOLD or why.startswith(NO_EFFECT)
    }
    if not evidence.run.failed or (ranked and ranked[0].confidence is Confidence.PROVEN):
        return always
    proven = any(finding.confidence is Confidence.PROVEN for finding in ranked)
    open_units = [unit for unit in units if not proven or unit.slug == ranked[0].slug]
    needed = {name for unit in open_units for name in unit.needs}
    if evidence.run.ending.kind is EndingKind.HANG:
        needed &= ASKED_OF_A_HANG
    return {
        name: why
        for name, why in sorted(evidence.run.gaps.items())
        if name in needed or name in always
    }
