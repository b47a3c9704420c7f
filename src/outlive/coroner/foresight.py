"""What could have been seen before: after a death, the rules that prevent its cause are asked of the file that it happened in, and the
checks that do are asked of the limits that the program was started with.
"""

from __future__ import annotations

import json
import os
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace

from outlive.model.events import Cell
from outlive.model.evidence import Evidence
from outlive.model.findings import Confidence, Finding, Place, Remedy, State, Verdict
from outlive.recorder.store.users_files import lines_of
from outlive.units.unit import check, discover, rule

#: The verdict has a second; a file of this size takes a fifth of it.
LARGEST_BYTES = 200_000

#: What a limit does that stands before the program starts, and is known as it was then.
OF_LIMITS = frozenset({"too-many-open-files", "cpu-time-limit", "shared-memory-full"})
SHARED = "/dev/shm"

#: The cells that a kernel has run, as a file.
NOTEBOOK = "cells.ipynb"

#: In the same function, or so many lines away.
NEAR_LINES = 10


def foreseen(verdict: Verdict, folder: str, cells: Sequence[Cell] = ()) -> Verdict:
    """The verdict, with a remedy that names the rule of `outlive lint` that sees the cause in the program as it is now."""
    cause = verdict.cause
    if cause is None or cause.where is None or not cause.where.own:
        return verdict
    try:
        view = _view_of(cause.where, folder, cells)
        seen = next(_seen(cause.slug, *view), None) if view is not None else None
    except (
        Exception
    ):  # a file that cannot be read, or anything else of ours, is no reason to lose the verdict
        return verdict
    if seen is None or seen.where is None:
        return verdict
    remedy = Remedy(
        f"Before the next run: `outlive lint` finds this: {seen.slug}, {_line(seen.where, cause.where)}.",
        # A kernel does not know which file its notebook is, and edits count the lines of all cells together.
        ()
        if seen.where.cell
        else (f"outlive lint --select {seen.slug} {shlex.quote(cause.where.file)}",),
        edits=()
        if seen.where.cell
        else next((remedy.edits for remedy in seen.remedies if remedy.edits), ()),
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
        f"Before the next run: `outlive doctor` warns about this: {warned.says}",
        (f"outlive doctor {warned.slug}",),
    )
    with_remedy = replace(cause, remedies=(*cause.remedies, remedy))
    return replace(verdict, findings=(with_remedy, *verdict.findings[1:]))


def _warned(slug: str, evidence: Evidence) -> Iterator[Finding]:
    from outlive.model.surroundings import (  # only now: most verdicts need no doctor
        Room,
        Surroundings,
    )

    room, site = evidence.circumstances.full_room, evidence.crash.site
    shared = [(room.point, room.total_bytes)] if room is not None else []
    shared += [(site.mount, site.mount_bytes or 0)] if site is not None and site.mount else []
    # Before the run no more can have been free than there is at all.
    rooms = [Room("shared memory", at, "tmpfs", most, most) for at, most in shared if at == SHARED]
    here = Surroundings(facts=evidence.run.facts, rooms=tuple(rooms[:1]))
    for unit in discover(check):
        if slug in unit.prevents and not unit.needs:
            for finding in unit.ask(here):
                if finding.state is not None and finding.state >= State.WARNING:
                    yield replace(finding, slug=unit.slug)


def _line(seen: Place, where: Place) -> str:
    return f"{where.file}, line {seen.line}" if seen.cell else f"line {seen.line}"


def _view_of(where: Place, folder: str, cells: Sequence[Cell]) -> tuple[str, Place] | None:
    """Return the text that a place is in, and the place as it is counted there: of a module, or of the cells up to this one as a notebook."""
    if where.file.endswith(".py"):
        return "".join(lines_of(os.path.join(folder, where.file))), where
    run = [cell for cell in cells if cell.count is not None and not cell.silent]
    names = [cell.name for cell in run]
    if where.file not in names:
        return None
    number = names.index(where.file) + 1
    as_written = [{"cell_type": "code", "source": cell.code} for cell in run[:number]]
    return json.dumps({"cells": as_written}), replace(where, file=NOTEBOOK, cell=number)


def _seen(slug: str, text: str, where: Place) -> Iterator[Finding]:
    if not text or len(text) > LARGEST_BYTES:
        return
    rules = [
        unit
        for unit in discover(rule)
        if slug in unit.prevents and any(word in text for word in unit.needs)
    ]
    if not rules:
        return
    from outlive.source.parsed import Source  # only now: most verdicts need no rules
    from outlive.source.tree import tree_of

    source = Source(where.file, text, tree_of=tree_of)
    changed = not where.cell and where.code and where.code not in source.lines[where.line - 1]
    if changed or not source.uses_tensorflow:
        return
    found = [
        replace(finding, slug=unit.slug)
        for unit in rules
        for finding in unit.ask(source)
        # What the command would not show unasked is not claimed of it.
        if finding.confidence >= Confidence.LIKELY and not source.allows(unit.slug, finding.where)
    ]
    near = [finding for finding in found if finding.where and _is_near(finding.where, where)]
    near.sort(key=lambda finding: abs(finding.where.line - where.line) if finding.where else 0)
    yield from near


def _is_near(seen: Place, where: Place) -> bool:
    """Close by, in the same function, or where the function that it happened in is used; in the same cell."""
    if seen.cell != where.cell:
        return False
    name = where.function.rpartition(".")[2]
    inside = bool(name) and not name.startswith("<")
    same = inside and seen.function == name
    used = inside and name in seen.code
    return same or used or abs(seen.line - where.line) <= NEAR_LINES
