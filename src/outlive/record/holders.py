"""From the census in the program to the line that feeds a container: names become lines by reading the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from outlive.memory_use import Holder, Traced
from outlive.model import Place
from outlive.record.traces import SourceLines

#: Methods of containers and queues that put something in.
FEEDING = frozenset(
    {"append", "appendleft", "extend", "insert", "add", "update", "setdefault", "put", "put_nowait"}
)

Steps = Sequence[tuple[str, str]]


def holders_in(
    censuses: Sequence[Mapping[str, Any]], stacks: Sequence[Mapping[str, Any]], lines: SourceLines
) -> tuple[Holder, ...]:
    """What held the memory at the last census, with how it had grown since it was first seen."""
    seen = [
        census for census in censuses if isinstance(census.get("held"), list) and census["held"]
    ]
    if not seen:
        return ()
    history: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for census in seen:
        for entry in census["held"]:
            for name in entry.get("names", ()):
                history.setdefault(_key(name), []).append(entry)
    busy = _busy_lines(stacks)
    middle = seen[len(seen) // 2 - 1 if len(seen) > 1 else 0]
    grown = max(1, _own_bytes(seen[-1]) - _own_bytes(middle))
    before = {_key(name): entry for entry in middle["held"] for name in entry.get("names", ())}
    total = _own_bytes(seen[-1]) or 1
    found = []
    for entry in seen[-1]["held"]:
        holder = _holder(entry, history, busy, total, lines)
        known = [before[_key(name)] for name in entry.get("names", ()) if _key(name) in before]
        added = holder.bytes - (int(known[0].get("bytes", 0)) if known else 0)
        found.append(replace(holder, part_of_growth=added / grown))
    return tuple(sorted(found, key=lambda holder: -holder.bytes))


def _own_bytes(census: Mapping[str, Any]) -> int:
    return int(census.get("own") or census.get("rss") or 0)


def _holder(
    entry: Mapping[str, Any],
    history: Mapping[tuple[Any, ...], list[Mapping[str, Any]]],
    busy: Mapping[tuple[str, int], int],
    total: int,
    lines: SourceLines,
) -> Holder:
    names = [name for name in entry.get("names", ()) if name.get("path")]
    earlier = max((history[_key(name)] for name in names), key=len, default=[entry])
    feeds: Place | None = None
    best = names[0] if names else {"path": [["name", "?"]], "file": "", "scope": ""}
    for name in names:
        place = _feeding_place(name, busy, lines)
        if place is not None:
            feeds, best = place, name
            break
    steps = [(str(kind), str(text)) for kind, text in best["path"]]
    return Holder(
        name=said(steps),
        kind="lru_cache" if steps[-1][0] == "cache" else str(entry.get("kind", "")),
        length=int(entry.get("length", 0)),
        bytes=int(entry.get("bytes", 0)),
        holds=str(entry.get("holds", "")),
        first_length=int(earlier[0].get("length", 0)),
        looks=len(earlier),
        scope=str(best.get("scope", "")),
        feeds=feeds,
        share=int(entry.get("bytes", 0)) / total,
    )


def traced_in(censuses: Sequence[Mapping[str, Any]], lines: SourceLines) -> tuple[Traced, ...]:
    """Functions that TensorFlow traced, at the last census, with their count at the first."""
    first: dict[tuple[str, int], int] = {}
    last: dict[tuple[str, int], Mapping[str, Any]] = {}
    for census in censuses:
        for entry in census.get("traced") or ():
            key = (str(entry.get("file")), int(entry.get("line", 0)))
            first.setdefault(key, int(entry.get("count", 0)))
            last[key] = entry
    found = [
        Traced(
            str(entry.get("name", "")),
            int(entry.get("count", 0)),
            first[key],
            lines.place(
                (key[0], _line_of_def(lines.read(key[0]), key[1]), entry.get("function", ""))
            ),
        )
        for key, entry in last.items()
    ]
    return tuple(sorted(found, key=lambda traced: -traced.count))


def _line_of_def(text: str, first: int) -> int:
    """The line of ``def``; a code object begins at its decorators."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return first
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            begins = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            if begins == first:
                return node.lineno
    return first


def _key(name: Mapping[str, Any]) -> tuple[Any, ...]:
    path = tuple(tuple(step) for step in name.get("path", ()))
    return (name.get("file"), name.get("scope"), path)


def said(steps: Steps) -> str:
    """A path as the code would write it."""
    text = ""
    for kind, name in steps:
        if kind in ("name", "cache"):
            text = name
        elif kind == "attr":
            text = f"{text}.{name}" if text else name
        else:
            text += f"[{name!r}]" if name else "[…]"
    return text


def _busy_lines(stacks: Sequence[Mapping[str, Any]]) -> dict[tuple[str, int], int]:
    """How often each line was seen on a stack."""
    counts: dict[tuple[str, int], int] = {}
    for record in stacks:
        for thread in record.get("threads", ()):
            for frame in thread.get("frames", ()):
                place = (str(frame[0]), int(frame[1]))
                counts[place] = counts.get(place, 0) + 1
    return counts


def _feeding_place(
    name: Mapping[str, Any], busy: Mapping[tuple[str, int], int], lines: SourceLines
) -> Place | None:
    """The line of the file that puts things into the container; of several, the one that was seen running."""
    steps = [(str(kind), str(text)) for kind, text in name["path"]]
    file, scope = str(name.get("file", "")), str(name.get("scope", ""))
    if steps[-1][0] == "cache":
        return lines.place((file, int(scope) if scope.isdigit() else 0, steps[-1][1]))
    try:
        tree = ast.parse(lines.read(file))
    except (SyntaxError, ValueError, RecursionError):
        return None
    candidates = list(_feeding_lines(tree, steps))
    if not candidates:
        return None

    def rank(candidate: tuple[int, int, str, bool]) -> tuple[int, bool, int]:
        first, last, _, in_loop = candidate
        seen = sum(busy.get((file, number), 0) for number in range(first, last + 1))
        return seen, in_loop, -first

    first, _, function, _ = max(candidates, key=rank)
    return lines.place((file, first, function))


def _feeding_lines(tree: ast.AST, steps: Steps) -> Iterator[tuple[int, int, str, bool]]:
    """First and last line, function, and whether it is in a loop, of every statement that feeds the container."""

    def walk(node: ast.AST, function: str, in_loop: bool) -> Iterator[tuple[int, int, str, bool]]:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            function, in_loop = getattr(node, "name", "<lambda>"), False
        if isinstance(node, ast.For | ast.While | ast.AsyncFor | ast.comprehension):
            in_loop = True
        if isinstance(node, ast.stmt | ast.expr) and _feeds(node, steps):
            yield node.lineno, node.end_lineno or node.lineno, function, in_loop
        for child in ast.iter_child_nodes(node):
            yield from walk(child, function, in_loop)

    yield from walk(tree, "<module>", False)


def _feeds(node: ast.AST, steps: Steps) -> bool:
    """Whether this very node puts something into the container."""
    if isinstance(node, ast.Call):
        called = node.func
        return (
            isinstance(called, ast.Attribute)
            and called.attr in FEEDING
            and _is(called.value, steps)
        )
    if isinstance(node, ast.AugAssign):
        return _is(node.target, steps) or _is_item_of(node.target, steps)
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        built = isinstance(
            node.value, ast.ListComp | ast.DictComp | ast.SetComp | ast.BinOp | ast.Call
        )
        grows = built or (isinstance(node.value, ast.List) and bool(node.value.elts))
        return any(
            _is_item_of(target, steps) or (grows and _is(target, steps)) for target in targets
        )
    return False


def _is_item_of(node: ast.AST, steps: Steps) -> bool:
    return isinstance(node, ast.Subscript) and _is(node.value, steps)


def _is(node: ast.AST, steps: Steps) -> bool:
    """Whether an expression names the container, by the last step of its path (and the one before, for a key)."""
    kind, name = steps[-1]
    if kind == "name":
        return isinstance(node, ast.Name) and node.id == name
    if kind == "attr":
        queue = name in ("queue", "_queue") and len(steps) > 1  # q.put feeds q.queue
        return (isinstance(node, ast.Attribute) and node.attr == name) or (
            queue and _is(node, steps[:-1])
        )
    if kind == "key" and len(steps) > 1 and isinstance(node, ast.Subscript):
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
        return (not name or key is None or key == name) and _is(node.value, steps[:-1])
    return False
