"""From a verdict to patches of the user's source: each finding is put to the fixes that serve its cause. Pure, but for the texts that are handed in."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from outlive.inside.notes.masking import MASK
from outlive.model.evidence import Evidence
from outlive.model.findings import Confidence, Finding, Place, Verdict
from outlive.model.patch import Answer, Patch
from outlive.model.quick_dataclass import dataclass
from outlive.source.fix_case import FixCase
from outlive.source.lint.fix import applied, difference
from outlive.source.parsed import Source
from outlive.units.unit import UnitOf, discover, fix, rule

Fix = UnitOf[FixCase, Answer]

#: Longer files are not patched: a verdict does not read them either.
LARGEST_BYTES = 2_000_000

#: How far from the blamed line a rule of lint may see the same thing.
NEAR_LINES = 3


@dataclass(frozen=True, slots=True)
class Text:
    """One of the user's files as it is now, and the line in it that a finding is about."""

    path: str
    text: str
    line: int  #: in the file; of a notebook, in the text of all its cells


@dataclass(frozen=True, slots=True)
class Proposal:
    """One way to change one file."""

    slug: str  #: of the fix, or of the rule of lint that knows one
    cause: str  #: the finding that it serves
    where: Place
    patch: Patch
    path: str
    before: str
    after: str

    @property
    def diff(self) -> str:
        """The change as a unified diff."""
        return difference(os.path.relpath(self.path), self.before, self.after)


@dataclass(frozen=True, slots=True)
class Proposals:
    """The patches for a verdict, those that leave the results as they are first, and why there are no others."""

    found: tuple[Proposal, ...] = ()
    reasons: tuple[str, ...] = ()


def propose(
    verdict: Verdict,
    evidence: Evidence,
    text_of: Callable[[Place], Text | str],
    known: Sequence[Fix] | None = None,
) -> Proposals:
    """Put each finding to the fixes that serve its cause; ``text_of`` reads the file of a place, or says why it cannot."""
    found: list[Proposal] = []
    reasons: list[str] = []
    for finding in _worth_fixing(verdict):
        for place in _places(finding):
            for one in _for_finding(replace(finding, where=place), evidence, text_of, known):
                if isinstance(one, str):
                    reasons.append(one)
                elif one.after not in {other.after for other in found}:
                    found.append(one)
    found.sort(key=lambda one: bool(one.patch.results))
    return Proposals(tuple(found), tuple(dict.fromkeys(reasons)))


def _worth_fixing(verdict: Verdict) -> Iterator[Finding]:
    """The cause, and what else is sure enough to be changed for."""
    for number, finding in enumerate(verdict.findings):
        if number == 0 or finding.confidence >= Confidence.LIKELY:
            yield finding


def _places(finding: Finding) -> list[Place]:
    return [finding.where] if finding.where is not None and finding.where.own else []


def _for_finding(
    finding: Finding,
    evidence: Evidence,
    text_of: Callable[[Place], Text | str],
    known: Sequence[Fix] | None,
) -> Iterator[Proposal | str]:
    where = finding.where
    assert where is not None
    asked = sorted(known or discover(fix), key=lambda one: one.code)
    serving = [one for one in asked if finding.slug in one.heals]
    read = text_of(where)
    if isinstance(read, str):
        yield read
        return
    case = case_of(finding, evidence, read)
    if isinstance(case, str):
        yield case
        return
    for unit in serving:
        try:
            answer = unit.ask(case)
        except Exception as error:  # a broken fix is reported, and hides nobody else's
            answer = f"the fix failed: {type(error).__name__}: {error}"
        if isinstance(answer, Patch):
            yield _applied(unit.slug, finding, where, answer, read)
        elif answer:
            yield f"{answer} ({unit.slug})"
    for slug, patch in _of_rules(finding, case):
        yield _applied(slug, finding, where, patch, read)


def case_of(finding: Finding, evidence: Evidence, read: Text) -> FixCase | str:
    """The view that fixes are asked of; or why the file cannot be patched."""
    if len(read.text) > LARGEST_BYTES:
        return f"{read.path} is too large to be patched"
    try:
        source = Source(read.path, read.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return f"{read.path} cannot be read by this Python"
    code = finding.where.code if finding.where is not None else ""
    if not 0 < read.line <= len(source.lines):
        return f"{read.path} was changed since the run"
    if code and MASK not in code and code not in source.lines[read.line - 1]:
        return f"{read.path} was changed since the run"
    return FixCase(finding, evidence, source, read.line)


def _of_rules(finding: Finding, case: FixCase) -> Iterator[tuple[str, Patch]]:
    """What `lint --fix` would change at the same line, by a rule that prevents the cause."""
    for unit in discover(rule):
        if finding.slug not in unit.prevents:
            continue
        if not any(word in case.source.text for word in unit.needs or ("",)):
            continue
        for seen in unit.ask(case.source):
            near = seen.where is not None and abs(seen.where.line - _line_of(case)) <= NEAR_LINES
            for remedy in seen.remedies if near else ():
                if remedy.edits:
                    differs = (
                        "" if remedy.safe else "Results may differ slightly: see `outlive explain`."
                    )
                    yield unit.slug, Patch(remedy.text, remedy.edits, results=differs)


def _line_of(case: FixCase) -> int:
    return case.source.place_of_line(case.line).line


def _applied(slug: str, finding: Finding, where: Place, patch: Patch, read: Text) -> Proposal | str:
    after = applied(read.path, read.text, patch.edits)
    if after is None:
        return f"the patched file would not be valid Python ({slug})"
    if after == read.text:
        return f"nothing would change ({slug})"
    return Proposal(slug, finding.slug, where, patch, read.path, read.text, after)
