"""What the line that grew was about to make, and what else was alive: from its source and the arrays that the last scan saw."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from outlive.coroner.gather.holders import said, steps_of
from outlive.coroner.readings.readings import ProcessRecord, Readings, integer
from outlive.inside.notes import kinds
from outlive.model.findings import Place
from outlive.model.memory import Growth
from outlive.model.memory_looks import Alive, Making
from outlive.source.tree import tree_of

if TYPE_CHECKING:  # only where a line is read: most verdicts need no names and values
    from outlive.source.makes import Array, Made

#: Of the growth: what makes less does not explain it.
EXPLAINS = 0.4

#: So many of what was alive are told.
MOST_ALIVE = 3
WORTH_TELLING_BYTES = 10_000_000

#: Longer files are not read for this: the verdict has a second.
LARGEST_BYTES = 300_000


def makings_of(readings: Readings, growths: Mapping[int, Growth]) -> dict[int, Making]:
    """What the growing line of each process makes, where that can be told."""
    found = {}
    for process in readings.processes:
        growth = growths.get(process.pid)
        if growth is not None:
            making = _making(process, growth, readings)
            if making is not None:
                found[process.pid] = making
    return found


def _making(process: ProcessRecord, growth: Growth, readings: Readings) -> Making | None:
    entries = _arrays(process)
    made = _made(growth.place, growth.grown_bytes, entries, readings)
    # What was made at an earlier look has the shape of what is made.
    alive = tuple(
        one
        for one in _alive(entries, growth.place, readings)
        if made is None or one.words != made.array.words
    )
    if made is None and not alive:
        return None
    return Making(
        growth.place,
        made.text if made else "",
        made.array.words if made else "",
        made.array.bytes if made else 0,
        made.change if made else "",
        alive,
    )


def _arrays(process: ProcessRecord) -> list[Mapping[str, Any]]:
    """The arrays that the last scan saw."""
    scans = [scan for scan in process.of_kind(kinds.CENSUS) if not scan.get("failed")]
    entries = scans[-1].get("arrays") or () if scans else ()
    return [entry for entry in entries if isinstance(entry, dict)]


def _made(
    place: Place, grown: int, entries: list[Mapping[str, Any]], readings: Readings
) -> Made | None:
    """What the line makes; nothing where that is less than what memory grew by."""
    from outlive.source.makes import made_at
    from outlive.source.parsed import Source

    text = readings.lines.read(place.file)
    if not text or len(text) > LARGEST_BYTES:
        return None
    try:
        source = Source("", text, tree_of=tree_of)
        made = made_at(source, place.line, _known(entries, place))
    except (SyntaxError, ValueError, RecursionError, ArithmeticError):
        return None
    return made if made is not None and made.array.bytes >= EXPLAINS * grown else None


def _known(entries: list[Mapping[str, Any]], place: Place) -> dict[str, Array]:
    """The arrays that the line can name: those of its function before those of the module."""
    found: dict[str, Array] = {}
    for entry in sorted(entries, key=lambda one: one.get("scope") != place.function):
        name = said(steps_of(entry))
        mine = entry.get("scope") in (place.function, "", "<module>") or "." in name
        if mine and "[" not in name:
            found.setdefault(name, _array_of(entry))
    return found


def _array_of(entry: Mapping[str, Any]) -> Array:
    from outlive.source.makes import Array

    sides = tuple(integer(side) or 0 for side in entry.get("shape") or ())
    return Array(sides, str(entry.get("dtype")), integer(entry.get("count")) or 1)


def _alive(entries: list[Mapping[str, Any]], place: Place, readings: Readings) -> tuple[Alive, ...]:
    """The largest arrays, each once."""
    found: dict[str, Alive] = {}
    for entry in entries:
        name, total = said(steps_of(entry)), integer(entry.get("bytes")) or 0
        if total >= WORTH_TELLING_BYTES and "[" not in name:
            found.setdefault(
                name,
                Alive(name, _array_of(entry).words, total, _made_before(name, place, readings)),
            )
    largest = sorted(found.values(), key=lambda one: -one.bytes)
    return tuple(largest[:MOST_ALIVE])


def _made_before(name: str, place: Place, readings: Readings) -> Place | None:
    """The last line before a place, in the same function, that made what a plain name stands for."""
    tree = readings.lines.tree(place.file)
    made = [
        node.lineno
        for node in tree.assignments
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call)
        and node.lineno < place.line
        and any(isinstance(one, ast.Name) and one.id == name for one in node.targets)
        and tree.function_name_at(node.lineno) == place.function
    ]
    return readings.lines.place((place.file, max(made), place.function)) if made else None
