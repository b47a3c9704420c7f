"""From the in-process heap scan to the line that feeds a container: names become lines by reading the source."""

from __future__ import annotations

import ast
import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from outlive.coroner.gather.bounds import bound_in
from outlive.coroner.readings.readings import integer
from outlive.coroner.readings.source_lines import SourceLines
from outlive.model.findings import Place
from outlive.model.memory import Holder
from outlive.source.lines import constructed, in_frames, line_of_def
from outlive.source.syntax import calls_in, last_name, targets_of
from outlive.source.tree import Tree

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

#: Functions that gather what another function makes, out of the reach of names until they are done.
GATHERING = frozenset(
    {
        "list",
        "tuple",
        "set",
        "frozenset",
        "dict",
        "sorted",
        "map",
        "imap",
        "starmap",
        "fromiter",
        "join",
    }
)
BLOCKS = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.With,
    ast.AsyncWith,
    ast.Try,
    ast.If,
)

#: Containers that an assignment to one of their places does not lengthen.
KEEP_THEIR_LENGTH = frozenset({"list", "deque", "tuple"})

#: Steps that lead to what only a walk over all objects finds.
WALKED = frozenset({"class", "owner", "unnamed"})

CHANGING = (ast.Call, ast.AugAssign, ast.Assign, ast.AnnAssign)

#: An attribute may be fed from any file; of many, those that were seen running most.
MOST_OTHER_FILES = 12

Steps = Sequence[tuple[str, str]]
Busy = Mapping[tuple[str, int], int]


class Feed(NamedTuple):
    """A statement that feeds a container."""

    first: int
    last: int
    function: str
    in_loop: bool
    direct: bool  #: it adds to what is there; otherwise it builds the container anew
    replaces: bool = False  #: it gives a place another element: a list does not become longer by it


def holders_in(
    censuses: Sequence[Mapping[str, Any]], stacks: Sequence[Mapping[str, Any]], lines: SourceLines
) -> tuple[Holder, ...]:
    """What held the memory at the last census, with how it had grown since it was first seen.

    What has no name is found by a walk over all objects alone, which is not part of every census: the last walk tells it.
    """
    seen = [
        _in_one_namespace(census, lines)
        for census in censuses
        if isinstance(census.get("held"), list) and census["held"]
    ]
    walked = [census for census in seen if any(map(_is_walked, census["held"]))]
    busy = _busy_lines(stacks)
    found = _holders(seen, busy, lines) if seen else []
    if walked and walked[-1] is not seen[-1]:
        found += _holders(walked, busy, lines, _is_walked)
    return tuple(sorted(found, key=lambda holder: -holder.bytes))


def _is_walked(entry: Mapping[str, Any]) -> bool:
    """Whether only a walk over all objects finds it."""
    return any(
        name.get("path") and steps_of(name)[-1][0] in WALKED for name in entry.get("names", ())
    )


def _holders(
    seen: Sequence[Mapping[str, Any]],
    busy: Busy,
    lines: SourceLines,
    told: Callable[[Mapping[str, Any]], bool] = bool,
) -> list[Holder]:
    """What held the memory at the last of these, if it is to be told."""
    history: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for census in seen:
        for entry in census["held"]:
            for key in _keys(entry, census):
                history.setdefault(key, []).append(entry)
    middle = seen[len(seen) // 2 - 1 if len(seen) > 1 else 0]
    grown = max(1, _own_bytes(seen[-1]) - _own_bytes(middle))
    before = {_key(name): entry for entry in middle["held"] for name in entry.get("names", ())}
    total = _own_bytes(seen[-1]) or 1
    found = []
    for entry in filter(told, seen[-1]["held"]):
        holder = _holder(entry, history, _keys(entry, seen[-1]), busy, total, lines)
        known = [before[_key(name)] for name in entry.get("names", ()) if _key(name) in before]
        added = holder.bytes - (int(known[0].get("bytes", 0)) if known else 0)
        share = _largest_share(seen, entry) if holder.whole else holder.share
        found.append(replace(holder, part_of_growth=added / grown, share=share))
    return found


def _keys(entry: Mapping[str, Any], census: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    """By what an entry is known again: its names, and the attribute in which an array lies that is made anew.

    An attribute has another name in each function (`self.bank`, `model.bank`), and no object of the array itself stays.
    """
    found = [_key(name) for name in entry.get("names", ())]
    attribute = _attribute_of(entry)
    if attribute and sum(_attribute_of(other) == attribute for other in census["held"]) == 1:
        found.append(("attribute", attribute))
    return found


def _attribute_of(entry: Mapping[str, Any]) -> str:
    for name in entry.get("names", ()) if entry.get("whole") else ():
        kind, word = steps_of(name)[-1] if name.get("path") else ("", "")
        if kind == "attr":
            return word
    return ""


def _largest_share(seen: Sequence[Mapping[str, Any]], entry: Mapping[str, Any]) -> float:
    """Of the memory at any look: while an array is made anew, the old one and the new one lie side by side."""
    keys = set(_keys(entry, seen[-1]))
    shares = (
        int(one.get("bytes", 0)) / (_own_bytes(census) or 1)
        for census in seen
        for one in census["held"]
        if keys & set(_keys(one, census))
    )
    return max(shares, default=0.0)  # a damaged record may have no key for it


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
    keys: Sequence[tuple[Any, ...]],
    busy: Busy,
    total: int,
    lines: SourceLines,
) -> Holder:
    names = [name for name in entry.get("names", ()) if name.get("path")]
    whole = bool(entry.get("whole"))
    earlier = max((history[key] for key in keys), key=len, default=[entry])
    best = names[0] if names else {"path": [["name", "?"]], "file": "", "scope": ""}
    feeds: Place | None = None
    for name in names:
        feeds = _nameless_place(entry, name, busy, lines) or feeding_place(
            name, busy, lines, anew=whole, kind=str(entry.get("kind", ""))
        )
        if feeds is not None:
            best = name
            break
    steps = steps_of(best)
    made = [place for name in names if (place := _making_place(name, lines))]
    return Holder(
        name=said(steps),
        kind=_kind(steps, entry),
        length=int(entry.get("length", 0)),
        bytes=int(entry.get("bytes", 0)),
        holds=str(entry.get("holds", "")),
        inner_length=int(entry.get("inner", 0)),
        bound=integer(entry.get("bound")),
        first_length=int(earlier[0].get("length", 0)),
        first_inner_length=int(earlier[0].get("inner", 0)),
        looks=len(earlier),
        scope=str(best.get("scope", "")),
        feeds=feeds,
        made=made[0] if made else None,
        share=int(entry.get("bytes", 0)) / total,
        whole=whole,
        rises=_rises([int(one.get("bytes", 0)) for one in earlier]),
        first_bytes=int(earlier[0].get("bytes", 0)),
        nameless=_nameless(steps, str(entry.get("kind", ""))),
        by_library=steps[-1][0] == "owner",
        within=str(entry.get("within", "")),
        errors=bool(entry.get("errors")),
        said_bound="" if whole else _bound(names, int(entry.get("length", 0)), lines),
    )


def _kind(steps: Steps, entry: Mapping[str, Any]) -> str:
    """What a container is to the program: what lies in ``q.queue`` is in the queue ``q``."""
    step, text = steps[-1]
    if step == "cache":
        return "lru_cache"
    inside = step == "attr" and len(steps) > 1 and text in INSIDE_QUEUES
    return "queue" if inside else str(entry.get("kind", ""))


def _bound(names: Sequence[Mapping[str, Any]], length: int, lines: SourceLines) -> str:
    """How many elements a container may hold, as the source says it; nothing where it says nothing."""
    for name in names:
        steps = steps_of(name)
        if steps[-1][0] in WALKED:
            continue
        for file in lines.beside(str(name.get("file", ""))):
            scope = str(name.get("scope", ""))
            at = int(scope) if steps[-1][0] == "cache" and scope.isdigit() else 0
            found = bound_in(lines.tree(file), functools.partial(_names, steps), length, at)
            if found:
                return found
    return ""


def _rises(sizes: Sequence[int]) -> int:
    """How often something was larger than ever before."""
    highest = itertools.accumulate(sizes, max)
    return sum(later > earlier for earlier, later in itertools.pairwise(highest))


def _nameless(steps: Steps, kind: str) -> str:
    """How a container is called that no name leads to; nothing for all others."""
    step, text = steps[-1]
    if step == "making":
        return f"The {kind} that this line is still making"
    if step == "unnamed":
        return f"A {kind} that has no name yet"
    return f"A {kind} that a library keeps (`{text}`)" if step == "owner" else ""


def _nameless_place(
    entry: Mapping[str, Any], name: Mapping[str, Any], busy: Busy, lines: SourceLines
) -> Place | None:
    """The line that makes a container which has no name, or that gave a library what it keeps."""
    step = steps_of(name)[-1][0]
    file, line = str(name.get("file", "")), int(entry.get("line", 0))
    if step in ("making", "owner") and file and line:
        if step == "owner":
            line = line_of_def(lines.tree(file), line)
        return lines.place((file, line, str(name.get("scope", ""))))
    return _gathering_place(busy, lines) if step == "unnamed" else None


def _gathering_place(busy: Busy, lines: SourceLines) -> Place | None:
    """The line that was seen running most, among those that gather what a loop inside C makes: ``list(map(…))``."""
    found = []
    for (file, line), count in busy.items():
        tree = lines.tree(file) if lines.is_own(file) else None
        statement = tree.statement_at(line) if tree is not None else None
        if statement is None or isinstance(statement, BLOCKS):
            continue
        if any(last_name(call.func) in GATHERING for call in calls_in(statement)):
            found.append((count, file, line))
    if not found:
        return None
    _, file, line = max(found)
    return lines.place((file, line, lines.tree(file).function_name_at(line)))


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
        if kind in ("name", "cache", "class", "owner", "making", "unnamed"):
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


def feeding_place(
    name: Mapping[str, Any], busy: Busy, lines: SourceLines, anew: bool = False, kind: str = ""
) -> Place | None:
    """The line that puts things into the container; of several, the one that was seen running.

    ``anew``: only a line that makes a longer one out of what there is. ``kind``: what the container is.
    """
    steps, scope = steps_of(name), str(name.get("scope", ""))
    file = str(name.get("file", ""))
    if steps[-1][0] == "cache":
        return lines.place((file, int(scope) if scope.isdigit() else 0, steps[-1][1]))
    if steps[-1][0] == "class":
        return _constructing_place(steps[-1][1], file, busy, lines)
    # An attribute may be fed from any file; a name only from where it is known.
    others = _busiest(file, busy, lines)
    for places in [lines.beside(file), *([place] for place in others if steps[-1][0] != "name")]:
        trees = [(place, lines.tree(place)) for place in places]
        # The elements of a dictionary of lists are fed, not the dictionary.
        for way in (steps, [*steps, ("key", "")]):
            feeds = [
                (place, feed)
                for place, tree in trees
                for feed in feeding_lines(tree, way)
                if (feed.direct or not anew)
                and not (feed.replaces and way is steps and kind in KEEP_THEIR_LENGTH)
            ]
            if feeds:
                place, best = max(feeds, key=lambda fed: _rank(fed[1], fed[0], scope, busy))
                return lines.place((place, best.first, best.function))
    return None


def _busiest(file: str, busy: Busy, lines: SourceLines) -> list[str]:
    """The user's other files that were seen running: the most often seen, in the order of their names."""
    counts: dict[str, int] = {}
    for (seen, _), count in busy.items():
        counts[seen] = counts.get(seen, 0) + count
    own = [seen for seen in counts if seen != file and lines.is_own(seen)]
    return sorted(sorted(own, key=lambda seen: -counts[seen])[:MOST_OTHER_FILES])


def _rank(feed: Feed, file: str, scope: str, busy: Busy) -> tuple[bool, bool, int, bool, int]:
    seen = sum(busy.get((file, number), 0) for number in range(feed.first, feed.last + 1))
    return feed.function == scope, feed.direct, seen, feed.in_loop, -feed.first


def _constructing_place(name: str, file: str, busy: Busy, lines: SourceLines) -> Place | None:
    """For objects of a class that are linked to each other: the line that makes one more of them."""
    files = [file, *_busiest(file, busy, lines)]
    found = [
        (busy.get((place, line), 0), place, line, function)
        for place in files
        for line, function in constructed(lines.tree(place), name)
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
    trees = [(place, lines.tree(place)) for place in places]
    for file, tree in trees:
        made = (node for node in tree.assignments if isinstance(node, ast.Assign | ast.AnnAssign))
        for node, function, _ in in_frames(tree, made):
            named = any(_is(it, steps) or _names_in_class(it, steps) for it in targets_of(node))
            if named and node.value is not None and _is_empty(node.value):
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


@functools.lru_cache(maxsize=64)
def _changing(tree: Tree) -> Sequence[tuple[ast.AST, str, bool]]:
    """The nodes of a file that may feed a container: every container asks for them."""
    return [*in_frames(tree, tree.every(*CHANGING))]


def feeding_lines(tree: Tree, steps: Steps) -> Iterator[Feed]:
    """Every statement that feeds the container."""
    for node, function, in_loop in _changing(tree):
        direct = _feeds(node, steps)
        if direct is not None and isinstance(node, ast.stmt | ast.expr):
            last = node.end_lineno or node.lineno
            yield Feed(node.lineno, last, function, in_loop, direct, _replaces(node, steps))


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
        targets = targets_of(node)
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


def _replaces(node: ast.AST, steps: Steps) -> bool:
    """Whether a statement does no more than give one place of the container another element."""
    return isinstance(node, ast.Assign | ast.AnnAssign) and any(
        _is_item_of(target, steps)
        and isinstance(target, ast.Subscript)
        and not isinstance(target.slice, ast.Slice)
        for target in targets_of(node)
    )


def _is_item_of(node: ast.AST, steps: Steps) -> bool:
    return isinstance(node, ast.Subscript) and _is(node.value, steps)


def _names(steps: Steps, node: ast.AST) -> bool:
    return _is(node, steps)


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
