"""What could have been seen before: after a death, the rules that prevent its cause are asked of the file that it happened in, and the
checks that do are asked of the limits that the program was started with.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

from outlive.evidence import Evidence
from outlive.model import Finding, Place, Remedy, State, Verdict
from outlive.unit import check, discover, rule

#: The verdict has a second; a file of this size takes a fifth of it.
LARGEST_BYTES = 200_000

#: What a limit does that stands before the program starts, and is known as it was then.
OF_LIMITS = frozenset({"too-many-open-files", "cpu-time-limit", "shared-memory-full"})
SHARED = "/dev/shm"

#: In the same function, or so many lines away.
NEAR_LINES = 10


def foreseen(verdict: Verdict, folder: str) -> Verdict:
    """The verdict, with a remedy that names the rule of `outlive lint` that sees the cause in the program as it is now."""
    cause = verdict.cause
    if cause is None or cause.where is None or not cause.where.own:
        return verdict
    try:
        seen = next(_seen(cause.slug, cause.where, folder), None)
    except (
        Exception
    ):  # a file that cannot be read, or anything else of ours, is no reason to lose the verdict
        return verdict
    if seen is None or seen.where is None:
        return verdict
    remedy = Remedy(
        f"Look before the next run: this could have been seen by `outlive lint`: {seen.slug}, line {seen.where.line}.",
        (f"outlive lint {cause.where.file}",),
        edits=next((remedy.edits for remedy in seen.remedies if remedy.edits), ()),
    )
    with_remedy = replace(cause, remedies=(*cause.remedies, remedy))
    return replace(verdict, findings=(with_remedy, *verdict.findings[1:]))


def forewarned(verdict: Verdict, evidence: Evidence) -> Verdict:
    """The verdict, with a remedy that names the check of `outlive doctor` that warns of the limits which this program had."""
    cause = verdict.cause
    if cause is None or cause.slug not in OF_LIMITS:
        return verdict
    try:
        warned = next(_warned(cause.slug, evidence), None)
    except Exception:  # as above
        return verdict
    if warned is None:
        return verdict
    remedy = Remedy(
        f"Look before the next run: `outlive doctor` would have told this: {warned.says}",
        (f"outlive doctor {warned.slug}",),
    )
    with_remedy = replace(cause, remedies=(*cause.remedies, remedy))
    return replace(verdict, findings=(with_remedy, *verdict.findings[1:]))


def _warned(slug: str, evidence: Evidence) -> Iterator[Finding]:
    from outlive.surroundings import Room, Surroundings  # only now: most verdicts need no doctor

    room, site = evidence.circumstances.full_room, evidence.site
    shared = [(room.point, room.total_bytes)] if room is not None else []
    shared += [(site.mount, site.mount_bytes or 0)] if site is not None and site.mount else []
    # Before the run no more can have been free than there is at all.
    rooms = [Room("shared memory", at, "tmpfs", most, most) for at, most in shared if at == SHARED]
    here = Surroundings(facts=evidence.facts, rooms=tuple(rooms[:1]))
    for unit in discover(check):
        if slug in unit.prevents and not unit.needs:
            for finding in unit.ask(here):
                if finding.state is not None and finding.state >= State.WARNING:
                    yield replace(finding, slug=unit.slug)


def _seen(slug: str, where: Place, folder: str) -> Iterator[Finding]:
    path = os.path.join(folder, where.file)
    if not where.file.endswith(".py") or os.path.getsize(path) > LARGEST_BYTES:
        return
    with open(path, encoding="utf-8") as file:
        text = file.read()
    rules = [
        unit
        for unit in discover(rule)
        if slug in unit.prevents and any(word in text for word in unit.needs)
    ]
    if not rules:
        return
    from outlive.source import Source  # only now: most verdicts need no parser

    source = Source(where.file, text)
    changed = where.code and where.code not in source.lines[where.line - 1]
    if changed or not source.uses_tensorflow:
        return
    found = [replace(finding, slug=unit.slug) for unit in rules for finding in unit.ask(source)]
    near = [finding for finding in found if finding.where and _is_near(finding.where, where)]
    near.sort(key=lambda finding: abs(finding.where.line - where.line) if finding.where else 0)
    yield from near


def _is_near(seen: Place, where: Place) -> bool:
    """Close by, in the same function, or where the function that it happened in is used."""
    name = where.function.rpartition(".")[2]
    inside = bool(name) and not name.startswith("<")
    same = inside and seen.function == name
    used = inside and name in seen.code
    return same or used or abs(seen.line - where.line) <= NEAR_LINES
