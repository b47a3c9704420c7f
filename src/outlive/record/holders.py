"""From the census in the program to the line that feeds a container: names become lines by reading the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from outlive.memory_use import Holder
from outlive.model import Place
from outlive.record.code import constructed, last_name, parsed, with_functions
from outlive.record.traces import SourceLines

#: Methods of containers, queues and pools that put something in.
FEEDING = frozenset(
    {
        "append", "appendleft", "extend", "extendleft", "insert", "add", "update", "setdefault",
        "put", "put_nowait", "push", "submit",
    }
)  # fmt: skip
#: Functions that put something into their first argument.
FEEDING_FUNCTIONS = frozenset({"heappush", "insort", "insort_left", "insort_right"})

#: Attributes in which the queues and pools of the standard library keep what was put into them.
INSIDE_QUEUES = frozenset({"queue", "_queue", "_buffer", "_work_queue"})

#: Calls that make an empty container.
EMPTY = frozenset(
    {"list", "dict", "set", "deque", "defaultdict", "OrderedDict", "Counter", "Queue",
     "SimpleQueue", "LifoQueue", "PriorityQueue", "JoinableQueue", "field"}
)  # fmt: skip

Steps = Sequence[tuple[str, str]]
Busy = Mapping[tuple[str, int], int]


class Feed(NamedTuple):
    """A statement that feeds a container."""

    first: int
    last: int
    function: str
    in_loop: bool
    direct: bool  #: it adds to what is there; otherwise it builds the container anew


def holders_in(
    censuses: Sequence[Mapping[str, Any]], stacks: Sequence[Mapping[str, Any]], lines: SourceLines
) -> tuple[Holder, ...]:
    """What held the memory at the last census, with how it had grown since it was first seen."""
    seen = [
        census for census in censuses if isinstance(census.get("held"), list) and census["held"]
    ]
    if not seen:
        return ()
    seen = [_in_one_namespace(census, lines) for census in seen]
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


def _in_one_namespace(census: Mapping[str, Any], lines: SourceLines) -> Mapping[str, Any]:
    """The cells of a notebook share their globals: a list is the same one, whichever cell was running."""

    def shared(name: Mapping[str, Any]) -> Mapping[str, Any]:
        file = str(name.get("file", ""))
        return (
            {**name, "file": next(iter(lines.beside(file)), file)}
            if name.get("scope") == "<module>"
            else name
        )

    held = [
        {**entry, "names": [shared(name) for name in entry.get("names", ())]}
        for entry in census["held"]
    ]
    return {**census, "held": held}


def _own_bytes(census: Mapping[str, Any]) -> int:
    return int(census.get("own") or census.get("rss") or 0)


def _holder(
    entry: Mapping[str, Any],
    history: Mapping[tuple[Any, ...], list[Mapping[str, Any]]],
    busy: Busy,
    total: int,
    lines: SourceLines,
) -> Holder:
    names = [name for name in entry.get("names", ()) if name.get("path")]
    earlier = max((history[_key(name)] for name in names), key=len, default=[entry])
    best = names[0] if names else {"path": [["name", "?"]], "file": "", "scope": ""}
    feeds: Place | None = None
    for name in names:
        feeds = feeding_place(name, busy, lines)
        if feeds is not None:
            best = name
            break
    steps = steps_of(best)
    made = [place for name in names if (place := _making_place(name, lines))]
    return Holder(
        name=said(steps),
        kind="lru_cache" if steps[-1][0] == "cache" else str(entry.get("kind", "")),
        length=int(entry.get("length", 0)),
        bytes=int(entry.get("bytes", 0)),
        holds=str(entry.get("holds", "")),
        inner_length=int(entry.get("inner", 0)),
        first_length=int(earlier[0].get("length", 0)),
        first_inner_length=int(earlier[0].get("inner", 0)),
        looks=len(earlier),
        scope=str(best.get("scope", "")),
        feeds=feeds,
        made=made[0] if made else None,
        share=int(entry.get("bytes", 0)) / total,
    )


def steps_of(name: Mapping[str, Any]) -> Steps:
    """The way to a container, step by step."""
    return [(str(kind), str(text)) for kind, text in name["path"]]


def _key(name: Mapping[str, Any]) -> tuple[Any, ...]:
    path = tuple(tuple(step) for step in name.get("path", ()))
    return (name.get("file"), name.get("scope"), path)


def said(steps: Steps) -> str:
    """A path as the code would write it."""
    text = ""
    for kind, name in steps:
        if kind in ("name", "cache", "class"):
            text = name
        elif kind == "attr":
            if name not in INSIDE_QUEUES or not text:  # what is in q.queue was put into q
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


def feeding_place(name: Mapping[str, Any], busy: Busy, lines: SourceLines) -> Place | None:
    """The line that puts things into the container; of several, the one that was seen running."""
    steps, scope = steps_of(name), str(name.get("scope", ""))
    file = str(name.get("file", ""))
    if steps[-1][0] == "cache":
        return lines.place((file, int(scope) if scope.isdigit() else 0, steps[-1][1]))
    if steps[-1][0] == "class":
        return _constructing_place(steps[-1][1], file, busy, lines)
    # An attribute may be fed from any file; a name only from where it is known.
    others = sorted({seen for seen, _ in busy if seen != file and lines.is_own(seen)})
    for places in [lines.beside(file), *([place] for place in others if steps[-1][0] != "name")]:
        trees = [(place, tree) for place in places if (tree := parsed(lines.read(place)))]
        # The elements of a dictionary of lists are fed, not the dictionary.
        for way in (steps, [*steps, ("key", "")]):
            feeds = [(place, feed) for place, tree in trees for feed in feeding_lines(tree, way)]
            if feeds:
                place, best = max(feeds, key=lambda fed: _rank(fed[1], fed[0], scope, busy))
                return lines.place((place, best.first, best.function))
    return None


def _rank(feed: Feed, file: str, scope: str, busy: Busy) -> tuple[bool, bool, int, bool, int]:
    seen = sum(busy.get((file, number), 0) for number in range(feed.first, feed.last + 1))
    return feed.function == scope, feed.direct, seen, feed.in_loop, -feed.first


def _constructing_place(name: str, file: str, busy: Busy, lines: SourceLines) -> Place | None:
    """For objects of a class that are linked to each other: the line that makes one more of them."""
    files = [file, *sorted({seen for seen, _ in busy if seen != file and lines.is_own(seen)})]
    found = [
        (busy.get((place, line), 0), place, line, function)
        for place in files
        for line, function in constructed(lines.read(place), name)
    ]
    if not found:
        return None
    _, place, line, function = max(found, key=lambda entry: entry[0])
    return lines.place((place, line, function))


def _making_place(name: Mapping[str, Any], lines: SourceLines) -> Place | None:
    """The line that made the container, empty."""
    steps, places = steps_of(name), lines.beside(str(name.get("file", "")))
    if steps[-1][0] not in ("name", "attr"):
        return None
    trees = [(place, tree) for place in places if (tree := parsed(lines.read(place)))]
    for file, (node, function, _) in (
        (place, part) for place, tree in trees for part in with_functions(tree)
    ):
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            named = any(_is(target, steps) or _names_in_class(target, steps) for target in targets)
            if named and _is_empty(node.value):
                return lines.place((file, node.lineno, function))
    return None


def _is_empty(value: ast.AST) -> bool:
    """An expression that makes an empty container."""
    if isinstance(value, ast.List | ast.Dict | ast.Set | ast.Tuple):
        return not ast.unparse(value).strip("[](){} ")
    return isinstance(value, ast.Call) and last_name(value.func) in EMPTY


def _names_in_class(target: ast.AST, steps: Steps) -> bool:
    """In the body of a class an attribute is a plain name."""
    return steps[-1][0] == "attr" and isinstance(target, ast.Name) and target.id == steps[-1][1]


def feeding_lines(tree: ast.AST, steps: Steps) -> Iterator[Feed]:
    """Every statement that feeds the container."""
    for node, function, in_loop in with_functions(tree):
        direct = _feeds(node, steps)
        if direct is not None and isinstance(node, ast.stmt | ast.expr):
            yield Feed(node.lineno, node.end_lineno or node.lineno, function, in_loop, direct)


def _feeds(node: ast.AST, steps: Steps) -> bool | None:
    """Whether this very node puts something into the container (True), or builds it anew (False)."""
    if isinstance(node, ast.Call):
        called = node.func
        added = (
            isinstance(called, ast.Attribute)
            and called.attr in FEEDING
            and _is(called.value, steps)
        )
        pushed = last_name(called) in FEEDING_FUNCTIONS and node.args and _is(node.args[0], steps)
        return True if added or pushed else None
    if isinstance(node, ast.AugAssign):
        fed = _is(node.target, steps) or _is_item_of(node.target, steps)
        return True if fed else None
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if any(_is_item_of(target, steps) for target in targets):
            return True
        if not any(_is(target, steps) for target in targets) or node.value is None:
            return None
        if any(_is(part, steps) for part in ast.walk(node.value)):
            return True  # kept = kept + [more]
        builds = isinstance(
            node.value, ast.ListComp | ast.DictComp | ast.SetComp | ast.BinOp | ast.Call
        ) or (isinstance(node.value, ast.List) and bool(node.value.elts))
        return False if builds and not _is_empty(node.value) else None
    return None


def _is_item_of(node: ast.AST, steps: Steps) -> bool:
    return isinstance(node, ast.Subscript) and _is(node.value, steps)


def _is(node: ast.AST, steps: Steps) -> bool:
    """Whether an expression names the container, by the last step of its path (and the one before, for a key)."""
    kind, name = steps[-1]
    if kind == "name":
        return isinstance(node, ast.Name) and node.id == name
    if kind == "attr":
        queue = name in INSIDE_QUEUES and len(steps) > 1  # q.put feeds q.queue
        return (isinstance(node, ast.Attribute) and node.attr == name) or (
            queue and _is(node, steps[:-1])
        )
    if kind == "key" and len(steps) > 1 and isinstance(node, ast.Subscript):
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
        return (not name or key is None or key == name) and _is(node.value, steps[:-1])
    return False
