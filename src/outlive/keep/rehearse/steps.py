"""Which of the things that were counted is a step of the program, and how many there will be. Pure.

Nobody is asked: batches of Keras count first, then runs of a session, then elements taken from datasets, then turns of the outermost
`for` loop that made enough of them, or of a `while` loop that counts its own. Only what was still counted at the end is a step of what goes on. Without any, seconds stand for steps.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from outlive.model.quick_dataclass import dataclass
from outlive.source.tree import tree_of

#: Fewer than this are not enough to tell how it goes on.
FEWEST = 8

#: What was not counted during the last part of the rehearsal is over.
LAST_PART = 0.25

#: A loop whose turn was seen to end so often tells how many steps a turn has.
WHOLE_TURNS = 2

BATCHES, RUNS, ELEMENTS, TURNS, SECONDS = (
    "batches of Keras",
    "calls of Session.run",
    "elements of a dataset",
    "iterations of the loop",
    "seconds",
)

#: What one of them is called in a sentence.
NAMES = {BATCHES: "batch", RUNS: "run", ELEMENTS: "element", TURNS: "iteration", SECONDS: "second"}


@dataclass(frozen=True, slots=True)
class Counted:
    """The steps that were counted."""

    what: str
    series: tuple[tuple[float, float], ...]  #: when, and how many by then
    total: float | None = None  #: of the whole run, where that is known
    why: str = ""  #: how the total is known
    place: tuple[str, int] | None = None  #: of the loop

    @property
    def done(self) -> float:
        """How many were made."""
        return self.series[-1][1] if self.series else 0.0

    @property
    def name(self) -> str:
        """What one is called."""
        return NAMES[self.what]


@dataclass(frozen=True, slots=True)
class Loop:
    """One `for` loop over time: turns ended, and how many are left of it."""

    file: str
    line: int
    function: str
    series: tuple[tuple[float, float], ...]
    left: int | None  #: at the end; none where it does not tell
    length: int  #: of one pass through it, as far as it was seen
    running: bool  #: at the last look

    @property
    def turns(self) -> float:
        """Turns that were seen to end."""
        return self.series[-1][1] - self.series[0][1] if self.series else 0.0


@dataclass(frozen=True, slots=True)
class While:
    """A `while` loop whose body adds to a number once a turn."""

    line: int
    counter: str
    adds: int
    until: str | int | None  #: the number, or its name, that the counter is compared with


class Around(Protocol):
    """Which loops are around a line of a file, outermost first."""

    def fors(self, file: str, line: int) -> Sequence[int]:
        """Tell the lines of the `for` statements."""
        ...

    def whiles(self, file: str, line: int) -> Sequence[While]:
        """Tell the `while` statements that count."""
        ...


def count_steps(ticks: Sequence[Mapping[str, Any]], around: Around) -> Counted:
    """The steps of a program, from the account that was kept inside it."""
    if not ticks:
        return Counted(SECONDS, ())
    loops = loops_of(ticks, around)
    for what, name in ((BATCHES, "batches"), (RUNS, "sessions"), (ELEMENTS, "elements")):
        series = tuple((float(tick["time"]), float(tick[name])) for tick in ticks)
        if _is_enough(series):
            left, why = _left_of(what, ticks, series, loops)
            total = None if left is None else series[-1][1] + left
            return Counted(what, series, total, why)
    enough = [loop for loop in loops if loop.running and _is_enough(loop.series)]
    if enough:
        loop = enough[0]
        left, why = _rest_of_loops(loop, loops)
        total = None if left is None else loop.series[-1][1] + left
        return Counted(TURNS, loop.series, total, why, (loop.file, loop.line))
    by_number = _counted_by_a_number(ticks, around)
    if by_number is not None:
        return by_number
    began = float(ticks[0]["time"])
    times = [float(tick["time"]) for tick in ticks]
    return Counted(SECONDS, tuple((at, at - began) for at in times))


def _counted_by_a_number(ticks: Sequence[Mapping[str, Any]], around: Around) -> Counted | None:
    """The turns of a `while` loop, by the number that its body adds to: of the outermost one that made enough."""
    seen: dict[tuple[str, str, While], list[tuple[float, float]]] = {}
    ends: dict[tuple[str, str, While], float | None] = {}
    for tick in ticks:
        for file, line, function, pairs in tick.get("numbers", ()):
            known = dict(pairs)
            for loop in around.whiles(file, line):
                if loop.counter not in known:
                    continue
                key = (file, function, loop)
                seen.setdefault(key, []).append(
                    (float(tick["time"]), known[loop.counter] / loop.adds)
                )
                end = known.get(loop.until) if isinstance(loop.until, str) else loop.until
                ends[key] = None if end is None else end / loop.adds
    for key, series in seen.items():
        rises = all(later >= earlier for (_, earlier), (_, later) in itertools.pairwise(series))
        if rises and _is_enough(series):
            file, _, loop = key
            why = (
                f"the loop at line {loop.line} ends at {loop.until}"
                if ends[key] is not None
                else ""
            )
            return Counted(TURNS, tuple(series), ends[key], why, (file, loop.line))
    return None


def _is_enough(series: Sequence[tuple[float, float]]) -> bool:
    """Whether it was counted often enough, and to the end."""
    if len(series) < 2 or series[-1][1] - series[0][1] < FEWEST:
        return False
    since = series[-1][0] - LAST_PART * (series[-1][0] - series[0][0])
    before = [count for at, count in series if at <= since]
    return bool(before) and series[-1][1] > before[-1]


def _left_of(
    what: str,
    ticks: Sequence[Mapping[str, Any]],
    series: Sequence[tuple[float, float]],
    loops: Sequence[Loop],
) -> tuple[float | None, str]:
    """How many steps are left, and how that is known."""
    last = ticks[-1]
    outer = [loop for loop in loops if loop.running and loop.left is not None]
    turned = next((loop for loop in outer if loop.turns >= WHOLE_TURNS), None)
    if turned is not None:
        return _by_turns(turned, series, outer)
    here: float | None = None
    why = ""
    if what == BATCHES and last["batches_an_epoch"]:
        each, epochs = int(last["batches_an_epoch"]), int(last["epochs"])
        here = (
            each * epochs
            - each * (int(last["epoch"]) - 1)
            - (series[-1][1] - last["epoch_began_at"])
        )
        why = f"{epochs} epochs of {each} batches"
    elif what == ELEMENTS and last["cardinality"] >= 0:
        here = float(last["cardinality"] - last["taken"])
        why = f"{last['cardinality']} elements in the dataset"
    if here is None:
        return None, ""
    a_pass = last["cardinality"] if what == ELEMENTS else last["epochs"] * last["batches_an_epoch"]
    for loop in outer:
        here += (loop.left or 0) * a_pass
        why += f", {loop.left} more times by the loop at line {loop.line}" if loop.left else ""
    return max(0.0, here), why


def _by_turns(
    turned: Loop, series: Sequence[tuple[float, float]], outer: Sequence[Loop]
) -> tuple[float, str]:
    """A loop around it was seen to turn: steps a turn, times the turns that are left of it and of those around it."""
    began, ended = turned.series[0][0], turned.series[-1][0]
    inside = [count for at, count in series if began <= at <= ended]
    each = (inside[-1] - inside[0]) / turned.turns if len(inside) > 1 else 0.0
    turns, why = _turns_left(turned, outer)
    return each * turns, why


def _rest_of_loops(loop: Loop, loops: Sequence[Loop]) -> tuple[float | None, str]:
    if loop.left is None:
        return None, ""
    outer = [one for one in loops if one.running and one.left is not None]
    return _turns_left(loop, outer)


def _turns_left(loop: Loop, outer: Sequence[Loop]) -> tuple[float, str]:
    """The turns that are left of a loop, and of all passes through it that loops around it will make."""
    left = float(loop.left or 0)
    why = f"the loop at line {loop.line} has {loop.left} iterations left"
    length = loop.length
    for around in reversed(outer[: outer.index(loop)] if loop in outer else []):
        left += (around.left or 0) * length
        length *= around.length
        if around.left:
            why += f", the one around it {around.left}"
    return left, why


def loops_of(ticks: Sequence[Mapping[str, Any]], around: Around) -> list[Loop]:
    """The loops that were seen, in the order in which they enclose each other at the end, then those that are over."""
    seen: dict[tuple[str, int, str], list[tuple[float, int, int | None, int | None]]] = {}
    last: list[tuple[str, int, str]] = []
    for tick in ticks:
        here: list[tuple[str, int, str]] = []
        ranks: dict[tuple[str, str], int] = {}
        for file, line, function, number, done, left in tick.get("loops", ()):
            rank = ranks.get((file, function), 0)
            ranks[file, function] = rank + 1
            lines = around.fors(file, line)
            if rank >= len(lines):
                continue  # what lies above the top of the stack, or a comprehension
            key = (file, lines[rank], function)
            here.append(key)
            seen.setdefault(key, []).append((float(tick["time"]), number, done, left))
        if here:
            last = here
    found = [_loop(key, seen[key], key in last) for key in (*last, *(set(seen) - set(last)))]
    return list(dict.fromkeys(found))


def _loop(
    key: tuple[str, int, str],
    looks: Sequence[tuple[float, int, int | None, int | None]],
    running: bool,
) -> Loop:
    """Add up the turns of all passes through one loop."""
    lefts = [left for _, _, _, left in looks if left is not None]
    dones = [done for _, _, done, _ in looks if done is not None]
    length = max((*(left + 1 for left in lefts), *dones), default=0)
    series, turns = [], float(looks[0][2] or 0)
    before: tuple[int, int | None, int | None] | None = None
    for at, number, done, left in looks:
        if before is not None:
            turns += _turned(before, (number, done, left), length)
        before = (number, done, left)
        series.append((at, turns))
    return Loop(*key, tuple(series), looks[-1][3], length, running)


def _turned(
    before: tuple[int, int | None, int | None], now: tuple[int, int | None, int | None], length: int
) -> float:
    """Turns between two looks at a loop; a new iterator is a new pass."""
    same = before[0] == now[0]
    if before[2] is not None and now[2] is not None:
        if same and now[2] <= before[2]:
            return before[2] - now[2]
        return before[2] + max(0, length - 1 - now[2])
    if before[1] is not None and now[1] is not None:
        return now[1] - before[1] if same and now[1] >= before[1] else now[1]
    return 0.0


def fors_in(text: str) -> Callable[[int], list[int]]:
    """The lines of the `for` statements whose body or head holds a line of a source, outermost first."""
    spans = [
        (node.lineno, node.end_lineno or node.lineno)
        for node in ast.walk(tree_of(text).module)
        if isinstance(node, ast.For | ast.AsyncFor)
    ]
    return lambda line: sorted(first for first, last in spans if first <= line <= last)


def whiles_in(text: str) -> Callable[[int], list[While]]:
    """The `while` statements that count their turns and hold a line of a source, outermost first."""
    spans = [
        (
            node.lineno,
            node.end_lineno or node.lineno,
            While(node.lineno, name, adds, _until(node, name)),
        )
        for node in ast.walk(tree_of(text).module)
        if isinstance(node, ast.While)
        for name, adds in _added_to(node)
    ]
    spans.sort(key=lambda span: span[0])
    return lambda line: [loop for first, last, loop in spans if first <= line <= last]


def _added_to(loop: ast.While) -> Iterator[tuple[str, int]]:
    """What the body itself adds a constant to, once a turn; first what the loop's own test compares."""
    found = [
        (statement.target.id, statement.value.value)
        for statement in loop.body
        if isinstance(statement, ast.AugAssign)
        and isinstance(statement.op, ast.Add)
        and isinstance(statement.target, ast.Name)
        and isinstance(statement.value, ast.Constant)
        and type(statement.value.value) is int
        and statement.value.value > 0
    ]
    yield from sorted(found, key=lambda one: _until(loop, one[0]) is None)


def _until(loop: ast.While, counter: str) -> str | int | None:
    """What the test of a loop compares its counter with: ``while step < 500``."""
    test = loop.test
    if not (
        isinstance(test, ast.Compare)
        and len(test.ops) == 1
        and isinstance(test.ops[0], ast.Lt | ast.LtE)
    ):
        return None
    if not (isinstance(test.left, ast.Name) and test.left.id == counter):
        return None
    bound = test.comparators[0]
    if isinstance(bound, ast.Name):
        return bound.id
    return bound.value if isinstance(bound, ast.Constant) and type(bound.value) is int else None
