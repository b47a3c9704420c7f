"""The in-process heap scan -> what it means: graphs that grew, tapes left open, arrays wider than they need be, where bytes went."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from outlive.coroner.gather.holders import feeding_place, said, steps_of
from outlive.coroner.gather.pictures_read import pictures_in
from outlive.coroner.readings.readings import ProcessRecord, Readings, integer
from outlive.coroner.readings.source_lines import SourceLines
from outlive.inside.notes import kinds
from outlive.model.findings import Place
from outlive.model.memory import Growth, Traced
from outlive.model.memory_looks import (
    Allocated,
    GrowingGraph,
    Ledger,
    Looks,
    NarrowArray,
    Tape,
    Unfreed,
    WideArray,
)
from outlive.source.lines import called_on, in_frames, line_of_def, names_on
from outlive.source.syntax import LOOPS, calls_in, last_name, targets_of
from outlive.source.unfreed import unfreed_in

Census = Mapping[str, Any]

ITEM_BYTES = {"uint8": 1, "int8": 1, "bool": 1, "int16": 2, "uint16": 2, "float16": 2, "bfloat16": 2,
              "int32": 4, "uint32": 4, "float32": 4}  # fmt: skip
WIDE = {"float64": 8, "int64": 8, "uint64": 8, "double": 8}

#: Names of eight-byte types in code: ``astype(float)``.
WIDE_NAMES = frozenset({"float", "float64", "double", "int64", "float_"})

#: What can begin to record on a tape.
OPENING = (ast.With, ast.AsyncWith, ast.Assign)


def looks_of(readings: Readings, growths: Mapping[int, Growth]) -> dict[int, Looks]:
    """What the looks have shown, by process."""
    found = {}
    for process in readings.processes:
        looks = _looks(process, growths.get(process.pid), readings)
        if looks is not None:
            found[process.pid] = looks
    return found


def _looks(process: ProcessRecord, growth: Growth | None, readings: Readings) -> Looks | None:
    censuses = [census for census in process.of_kind(kinds.CENSUS) if not census.get("failed")]
    if not censuses:
        return None
    return Looks(
        ledgers=tuple(_ledger(census) for census in censuses),
        graphs=_graphs(censuses, readings.lines),
        tapes=_tapes(censuses, readings.lines),
        arrays=_arrays(censuses, growth, readings),
        narrow=_narrow(censuses[-1]),
        pictures=pictures_in(censuses, readings.folder),
        allocated=_allocated(censuses, readings.lines),
        callees=_callees(censuses, growth, readings),
        unfreed=_unfreed(growth, readings),
    )


def _ledger(census: Census) -> Ledger:
    heap = census.get("heap")
    used, free, large, blocks = heap if isinstance(heap, list) and len(heap) == 4 else [None] * 4
    arenas = census.get("arenas")
    pieces, holes = arenas if isinstance(arenas, list) and len(arenas) == 2 else [None] * 2
    return Ledger(
        own_bytes=integer(census.get("own")) or 0,
        limit_bytes=integer(census.get("limit")) or 0,
        tensor_bytes=integer(census.get("tensors")),
        heap_used_bytes=integer(used),
        heap_free_bytes=integer(free),
        large_bytes=integer(large),
        large_blocks=integer(blocks),
        arena_used_bytes=integer(pieces),
        arena_free_bytes=integer(holes),
        python_bytes=integer(census.get("python")),
        after_refusal="address_limit" in census,
    )


def _allocated(censuses: Sequence[Census], lines: SourceLines) -> tuple[Allocated, ...]:
    """What the last look with lines told of them."""
    for census in reversed(censuses):
        told = census.get("allocated")
        if isinstance(told, dict) and told.get("lines"):
            total = int(told.get("total", 0)) or 1
            places = [
                (file, int(line), lines.tree(str(file)).function_name_at(int(line)))
                for file, line, *_ in told["lines"]
            ]
            return tuple(
                Allocated(lines.place(place), int(size), int(blocks), int(size) / total)
                for place, (*_, size, blocks) in zip(places, told["lines"], strict=True)
            )
    return ()


def _graphs(censuses: Sequence[Census], lines: SourceLines) -> tuple[GrowingGraph, ...]:
    """Graphs by name, with the operations that they had when they were first seen."""
    first: dict[str, int] = {}
    last: dict[str, Mapping[str, Any]] = {}
    for census in censuses:
        for entry in census.get("graphs") or ():
            name = str(entry.get("name"))
            first.setdefault(name, int(entry.get("operations", 0)))
            last[name] = entry
    found = []
    for name, entry in last.items():
        frames = lines.places(entry.get("frames"))
        found.append(
            GrowingGraph(
                name,
                int(entry.get("operations", 0)),
                first[name],
                int(entry.get("bytes", 0)),
                integer(entry.get("step")),
                next((frame for frame in frames if frame.own), None),
            )
        )
    return tuple(sorted(found, key=lambda graph: graph.first_operations - graph.operations))


def _tapes(censuses: Sequence[Census], lines: SourceLines) -> tuple[Tape, ...]:
    """Tapes that recorded at several looks, and containers of tapes."""
    seen: dict[int, list[tuple[Census, Mapping[str, Any]]]] = {}
    for census in censuses:
        for entry in census.get("tapes") or ():
            seen.setdefault(int(entry.get("id", 0)), []).append((census, entry))
    found = []
    for looks in seen.values():
        entry = looks[-1][1]
        kept = int(entry.get("kept", 0))
        opened = _opening(entry, lines) if not kept else None
        before, after = (integer(census.get("tensors")) for census, _ in (looks[0], looks[-1]))
        where = feeding_place(entry, {}, lines) if kept else None
        found.append(
            Tape(
                name=said(steps_of(entry)),
                place=opened[0] if opened else where,
                looks=len(looks),
                of_looks=len(censuses),
                persistent=bool(entry.get("persistent")),
                kept=kept,
                first_kept=int(looks[0][1].get("kept", 0)),
                around_a_loop=bool(opened and opened[1]),
                tensors_grown_bytes=after - before if after and before is not None else None,
            )
        )
    return tuple(sorted(found, key=lambda tape: -(tape.tensors_grown_bytes or 0)))


def _opening(entry: Mapping[str, Any], lines: SourceLines) -> tuple[Place, bool] | None:
    """The line that began to record, and whether a loop runs while it does."""
    name, file = steps_of(entry)[-1][1], str(entry.get("file", ""))
    found: list[tuple[bool, int, str, bool]] = []
    tree = lines.tree(file)
    for node, function, _ in in_frames(tree, tree.every(*OPENING)):
        here = function == entry.get("scope")
        if isinstance(node, ast.With | ast.AsyncWith):
            if any(
                item.optional_vars and last_name(item.optional_vars) == name for item in node.items
            ):
                body = [part for inner in node.body for part in ast.walk(inner)]
                loop = any(isinstance(part, LOOPS) for part in body)
                found.append((here, node.lineno, function, loop))
        elif isinstance(node, ast.Assign) and any(last_name(to) == name for to in node.targets):
            made = [last_name(call.func) for call in calls_in(node.value)]
            if "GradientTape" in made:
                found.append((here, node.lineno, function, True))  # entered by hand
    if not found:
        return None
    _, line, function, loop = max(found)
    return lines.place((file, line, function)), loop


def _arrays(
    censuses: Sequence[Census], growth: Growth | None, readings: Readings
) -> tuple[WideArray, ...]:
    """Arrays with eight bytes an element whose values, or whose twin of the same shape, need fewer."""
    found: dict[str, WideArray] = {}
    for census in censuses:
        entries = [entry for entry in census.get("arrays") or () if isinstance(entry, dict)]
        for entry in entries:
            wide = _wide(entry, entries, readings.lines)
            if wide is not None:
                found[wide.name] = wide
    if growth is not None:
        being_made = _being_made(censuses[-1], growth, readings)
        if being_made is not None:
            found.setdefault(being_made.name, being_made)
    return tuple(sorted(found.values(), key=lambda array: -array.bytes))


def _narrow(census: Census) -> tuple[NarrowArray, ...]:
    """The arrays of the last look that have few bytes an element."""
    return tuple(
        NarrowArray(
            said(steps_of(entry)),
            str(entry.get("dtype")),
            _shape(entry),
            math.prod(int(side) for side in entry.get("shape") or ()),
        )
        for entry in census.get("arrays") or ()
        if str(entry.get("dtype")) in ITEM_BYTES and int(entry.get("count", 1)) == 1
    )


def _wide(
    entry: Mapping[str, Any], entries: Sequence[Mapping[str, Any]], lines: SourceLines
) -> WideArray | None:
    dtype, total = str(entry.get("dtype")), int(entry.get("bytes", 0))
    if dtype not in WIDE:
        return None
    twins = [
        other
        for other in entries
        if other.get("shape") == entry.get("shape") and str(other.get("dtype")) in ITEM_BYTES
    ]
    fits = str(entry.get("fits") or "")
    if twins:
        was = str(twins[0]["dtype"])
        why = f"`{said(steps_of(twins[0]))}` has the same shape and is {was}"
    elif fits == "few":
        was, why = "uint8", "it has no more distinct values than an 8-bit picture"
    elif fits in ITEM_BYTES:
        was, why = fits, f"every sampled value fits {fits}"
    else:
        return None
    # What was computed from bytes is no bytes any more: float32 is what it needs.
    needs = "float32" if dtype == "float64" and ITEM_BYTES[was] < 4 and fits != "uint8" else was
    return WideArray(
        name=said(steps_of(entry)),
        dtype=dtype,
        shape=_shape(entry),
        bytes=total,
        was=was,
        would_be_bytes=total * ITEM_BYTES[needs] // WIDE[dtype],
        why=why,
        place=_assigned(entry, lines),
        by_twin=bool(twins),
    )


def _shape(entry: Mapping[str, Any]) -> str:
    sides = tuple(int(side) for side in entry.get("shape") or ())
    count = int(entry.get("count", 1))
    return f"{count} × {sides}" if count > 1 else f"{sides}"


def _assigned(entry: Mapping[str, Any], lines: SourceLines) -> Place | None:
    """The line that gives the array its name, or feeds the container that it is in."""
    steps, file = steps_of(entry), str(entry.get("file", ""))
    if int(entry.get("count", 1)) > 1:
        return feeding_place(entry, {}, lines)
    tree = lines.tree(file)
    found = [
        (function == entry.get("scope"), node.lineno, function)
        for node, function, _ in in_frames(tree, tree.assignments)
        if isinstance(node, ast.stmt)
        and node.value is not None
        and any(last_name(target) == steps[-1][1] for target in targets_of(node))
    ]
    if not found:
        return None
    _, line, function = max(found)
    return lines.place((file, line, function))


def _being_made(census: Census, growth: Growth, readings: Readings) -> WideArray | None:
    """The line that ran while memory grew makes eight bytes an element out of an array of few."""
    tree = readings.lines.tree(growth.place.file)
    statement = tree.statement_at(growth.place.line)
    if statement is None or not widens(statement):
        return None
    names = names_on(tree, growth.place.line)
    for entry in census.get("arrays") or ():
        dtype = str(entry.get("dtype"))
        steps = steps_of(entry)
        narrow = dtype in ITEM_BYTES and (dtype != "float32" or widens_by_name(statement))
        if narrow and steps and steps[0][1] in names and int(entry.get("count", 1)) == 1:
            elements = math.prod(int(side) for side in entry.get("shape") or ())
            if growth.grown_bytes < elements:  # it was something else that grew
                continue
            return WideArray(
                name="what this line makes",
                dtype="float64",
                shape=_shape(entry),
                bytes=8 * elements,
                was=dtype,
                would_be_bytes=4 * elements,
                why=f"`{said(steps)}` is {dtype}",
                place=growth.place,
            )
    return None


def widens(statement: ast.AST) -> bool:
    """Whether an expression turns whole numbers into eight-byte floats: a division, or the type by name."""
    divides = any(
        isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div)
        for node in ast.walk(statement)
    )
    return divides or widens_by_name(statement)


def widens_by_name(statement: ast.AST) -> bool:
    """Whether an eight-byte type is named in a call: ``astype(float)``, ``tf.cast(x, tf.float64)``."""
    for call in calls_in(statement):
        words = [*call.args, *(keyword.value for keyword in call.keywords)]
        named = {last_name(word) or str(getattr(word, "value", "")) for word in words}
        if named & WIDE_NAMES or last_name(call.func) in WIDE_NAMES - {"float"}:
            return True
    return False


def _callees(
    censuses: Sequence[Census], growth: Growth | None, readings: Readings
) -> dict[str, str]:
    """The names that are called on the growing line, and what they are."""
    if growth is None:
        return {}
    known: dict[str, str] = {}
    for census in censuses:
        known |= {str(name): str(told) for name, told in dict(census.get("callees") or {}).items()}
    found: dict[str, str] = {}
    for place in (growth.innermost, growth.place):
        if place is not None:
            for name in called_on(readings.lines.tree(place.file), place.line):
                if name in known:
                    found.setdefault(name, known[name])
    return found


def _unfreed(growth: Growth | None, readings: Readings) -> Unfreed | None:
    """What the files of the growing lines take from a native library and never give back; nothing where there are several such calls."""
    places = [growth.innermost, growth.place] if growth is not None else []
    for file in dict.fromkeys(place.file for place in places if place is not None):
        found = list(unfreed_in(readings.lines.tree(file)))
        if len(found) == 1:
            line, function, call, closer = found[0]
            return Unfreed(readings.lines.place((file, line, function)), call, closer)
    return None


def traced_in(censuses: Sequence[Census], lines: SourceLines) -> tuple[Traced, ...]:
    """Functions that TensorFlow traced, at the last census, with their count at the first."""
    counts: dict[tuple[str, int], list[int]] = {}
    memory: dict[tuple[str, int], list[int]] = {}
    last: dict[tuple[str, int], Mapping[str, Any]] = {}
    for census in censuses:
        for entry in census.get("traced") or ():
            key = (str(entry.get("file")), int(entry.get("line", 0)))
            counts.setdefault(key, []).append(int(entry.get("count", 0)))
            memory.setdefault(key, []).append(int(census.get("own") or 0))
            last[key] = entry
    found = [
        Traced(
            str(entry.get("name", "")),
            int(entry.get("count", 0)),
            counts[key][0],
            lines.place(
                (key[0], line_of_def(lines.tree(key[0]), key[1]), entry.get("function", ""))
            ),
            str(entry.get("argument", "")),
            tuple(str(example) for example in entry.get("examples") or ()),
            len(counts[key]),
            sum(later > earlier for earlier, later in pairwise(counts[key])),
            memory[key][-1] - memory[key][0],
        )
        for key, entry in last.items()
    ]
    return tuple(sorted(found, key=lambda traced: -traced.count))
