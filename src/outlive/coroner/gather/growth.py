"""Which line was running while memory grew? From the stacks that were sampled, weighed by what memory had grown since the one before."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from outlive.coroner.readings.source_lines import SourceLines
from outlive.inside.start.code_owner import package_of
from outlive.model.memory import Growth
from outlive.source.lines import is_in_loop
from outlive.source.makers import line_behind, makers_around, only_waits

Line = tuple[str, int, str]  #: file, number, function

#: A line must have been running during this share of the growth to be named for it.
MOST_OF_THE_GROWTH = 0.9
HALF_OF_THE_GROWTH = 0.5

#: Of the lines of one function, none of which did it all: the first among equals.
LARGE_PART_OF_FUNCTION = 0.35

#: Less growth than this is the noise of any program.
GROWTH_WORTH_NAMING_BYTES = 16_000_000

#: Memory that hardly rose during so many looks, for so long, had found its place.
PLATEAU_LOOKS = 8
PLATEAU_SECONDS = 0.25
PLATEAU_PART = 0.01
#: What rose after it is told alone, unless it is little of the whole.
LAST_PART_OF_GROWTH = 0.15

#: Of the growth: who filled this part last is asked for by himself.
PART_OF_A_BURST = 0.3

#: A thread whose innermost frame lies here does no work: locks, queues, pipes, the end of a worker.
WAITING_FILES = (
    "/threading.py",
    "/queue.py",
    "/selectors.py",
    "/concurrent/futures/thread.py",
    "/multiprocessing/connection.py",
    "/multiprocessing/popen_fork.py",
    "/multiprocessing/synchronize.py",
    "/asyncio/base_events.py",
)

#: Here it waits for the next element of a pipeline, whose functions run in other threads.
READING_FILES = (
    "/tensorflow/python/data/ops/iterator_ops.py",
    "/tensorflow/python/ops/gen_dataset_ops.py",
)
#: Of the growth: a function of the pipeline's that was seen during so much of it made the rest, too. (Such threads are in Python for
#: a small part of their time, and the one that waits is there in every look.)
SEEN_BEHIND_A_READER = 0.1

#: It may wait for others here (a pipeline's next element, the end of an operation), or work itself.
PERHAPS_WAITING_FILES = (
    *READING_FILES,
    "/tensorflow/python/eager/execute.py",
    "/tensorflow/python/eager/context.py",
)


class Tally:
    """The growth that each line was there for."""

    def __init__(self) -> None:
        self.total = 0
        self.shares: dict[Line, int] = {}
        self.times: list[float] = []
        self._depth: dict[Line, int] = {}
        self._leaves: dict[tuple[Line, Line], int] = {}

    def add(self, own: Sequence[Line], grown: int, moment: float) -> None:
        """Memory had grown by so much when these lines were on the stack, innermost first."""
        self.total += grown
        self.times.append(moment)
        for level, line in enumerate(reversed(own)):
            self.shares[line] = self.shares.get(line, 0) + grown
            self._depth[line] = max(self._depth.get(line, 0), level)
            self._leaves[line, own[0]] = self._leaves.get((line, own[0]), 0) + grown

    def best(self, in_loop: Callable[[Line], bool | None]) -> Line | None:
        """The innermost line that was there for most of the growth; or a line of the function or loop below it, which says more."""
        for threshold in (MOST_OF_THE_GROWTH, HALF_OF_THE_GROWTH):
            named = [line for line, grown in self.shares.items() if grown >= threshold * self.total]
            if named:
                best = max(named, key=lambda line: (self._depth[line], self.shares[line]))
                loop = self._line_of_loop_below(self._depth[best], in_loop)
                return loop or self._line_of_function_below(best, in_loop)
        return None

    def _line_of_function_below(self, best: Line, in_loop: Callable[[Line], bool | None]) -> Line:
        """``main()`` says less than the largest of the lines in ``main``; but a line that a loop runs says it all."""
        while in_loop(best) is False:
            below = [line for line in self.shares if self._depth[line] == self._depth[best] + 1]
            top = max(below, key=lambda line: self.shares[line], default=None)
            same = [line for line in below if top and (line[0], line[2]) == (top[0], top[2])]
            most = sum(self.shares[line] for line in same) >= MOST_OF_THE_GROWTH * self.total
            if top is None or not most or self.shares[top] < LARGE_PART_OF_FUNCTION * self.total:
                break
            best = top
        return best

    def _line_of_loop_below(
        self, depth: int, in_loop: Callable[[Line], bool | None]
    ) -> Line | None:
        """``run(model)`` says less than the loop in ``run``, though no line of the loop alone was there for most of it."""
        functions: dict[tuple[str, str], list[Line]] = {}
        for line in self.shares:
            if self._depth[line] > depth:
                functions.setdefault((line[0], line[2]), []).append(line)
        loops = [
            [line for line in lines if in_loop(line)]
            for lines in functions.values()
            if sum(self.shares[line] for line in lines) >= MOST_OF_THE_GROWTH * self.total
        ]
        lines = min(
            (loop for loop in loops if loop), key=lambda loop: self._depth[loop[0]], default=[]
        )
        return max(lines, key=lambda line: self.shares[line], default=None)

    def leaf_of(self, line: Line) -> Line:
        """The most frequent innermost line beneath it."""
        return max(
            (pair for pair in self._leaves if pair[0] == line), key=lambda pair: self._leaves[pair]
        )[1]


def growth_in(
    records: Sequence[Mapping[str, Any]], lines: SourceLines, peak_bytes: int | None = None
) -> Growth | None:
    """Which line was running while memory reached new heights.

    Only growth beyond the highest value so far counts, so memory that is taken and given back in turns adds nothing. Every line
    of the user's own on the stack gets the growth of that moment; the innermost line that was there for most of it is named.
    ``album.append(make(i))`` is named rather than the lines of ``make``, unless one of those alone did it all.
    """
    rises = _behind_the_reader(_rises(records, lines))
    whole = _tally(rises)
    last = _tally(rises[_after_the_last_plateau(rises) :])
    worth = last.total >= max(GROWTH_WORTH_NAMING_BYTES, LAST_PART_OF_GROWTH * whole.total)
    tally = last if worth else whole
    unseen = _unseen(records, rises, tally, lines, peak_bytes)
    if unseen is not None:
        return unseen
    if tally.total < GROWTH_WORTH_NAMING_BYTES:
        return None

    def in_loop(line: Line) -> bool | None:
        return is_in_loop(lines.tree(line[0]), line[1])

    best = tally.best(in_loop)
    if best is None:
        return None
    tally, best = _last_burst(rises, tally, best, in_loop)
    return Growth(
        lines.place(_what_made_it(best, tally.shares, lines)),
        tally.shares[best] / tally.total,
        tally.total,
        max(tally.times) - min(tally.times),
        lines.place(_what_made_it(tally.leaf_of(best), tally.shares, lines)),
        inside=_package_inside(rises),
    )


def _package_inside(rises: Sequence[Rise]) -> str:
    """The package in whose functions the thread stood for most of the growth, if it was one."""
    shares: dict[str, int] = {}
    for rise in rises:
        if rise.own:
            shares[rise.package] = shares.get(rise.package, 0) + rise.grown
    most = max(shares, key=lambda package: shares[package], default="")
    return most if shares.get(most, 0) >= HALF_OF_THE_GROWTH * sum(shares.values()) else ""


def _last_burst(
    rises: Sequence[Rise], tally: Tally, best: Line, in_loop: Callable[[Line], bool | None]
) -> tuple[Tally, Line]:
    """The line of the last burst, where the one of most of the growth says less.

    What one line made may stay while another fills the rest; and a line that only calls both (``main()``) was there for all of it.
    """
    if in_loop(best) and tally.shares[best] >= MOST_OF_THE_GROWTH * tally.total:
        return tally, best
    last = _tally(_last_part(rises, tally.total)).best(in_loop)
    if last is None or last == best:
        return tally, best
    function = (last[0], last[2])
    others = [
        rise.at
        for rise in rises
        if rise.grown and rise.own and function not in {(line[0], line[2]) for line in rise.own}
    ]
    start = max(others, default=0.0)
    burst = _tally([rise for rise in rises if rise.at > start])
    if burst.total < max(GROWTH_WORTH_NAMING_BYTES, LAST_PART_OF_GROWTH * tally.total):
        return tally, best
    return burst, burst.best(in_loop) or last


def _last_part(rises: Sequence[Rise], total: int) -> Sequence[Rise]:
    """The looks in which the last part of the growth was seen."""
    grown = 0
    for index in range(len(rises) - 1, -1, -1):
        grown += rises[index].grown if rises[index].own else 0
        if grown >= PART_OF_A_BURST * total:
            return rises[index:]
    return rises


def _unseen(
    records: Sequence[Mapping[str, Any]],
    rises: Sequence[Rise],
    tally: Tally,
    lines: SourceLines,
    peak_bytes: int | None,
) -> Growth | None:
    """Most of it came after the last look, in one call that held the interpreter so that nobody could look.

    If the program did nothing but wait at that look, what comes next made it: what the loop makes was seen before, and was less.
    """
    highest = max((rss for one in records if isinstance(rss := one.get("rss"), int)), default=0)
    grown = (peak_bytes or 0) - highest
    if not highest or not rises or not rises[-1].own:
        return None
    if grown < max(GROWTH_WORTH_NAMING_BYTES, tally.total):
        return None
    file, number, function = seen = rises[-1].own[0]
    tree = lines.tree(file)
    following = line_behind(tree, number) if only_waits(tree, number) else None
    if following is None:
        return None
    place = lines.place((file, following, function))
    return Growth(place, 1.0, grown, 0.0, unseen_after=lines.place(seen))


class Rise(NamedTuple):
    """One look: by how much memory was higher than ever before, and the lines that were there."""

    at: float
    grown: int
    own: Sequence[Line]
    reads: bool = False  #: they only waited for a pipeline
    aside: bool = False  #: they are not those of the main thread
    package: str = ""  #: that the innermost frame lay in


def _rises(records: Sequence[Mapping[str, Any]], lines: SourceLines) -> list[Rise]:
    highest: int | None = None
    seen = Seen([])
    found = []
    for record in records:
        rss = record.get("rss")
        if not record.get("same"):
            seen = _own_lines(record, lines)
        if not isinstance(rss, int) or rss <= 0:
            continue
        grown = 0 if highest is None else max(0, rss - highest)
        highest = rss if highest is None else max(highest, rss)
        own = () if seen.importing else tuple(seen.own)
        at = float(record.get("time", 0))
        found.append(Rise(at, grown, own, seen.reads, seen.aside, seen.package))
    return found


def _behind_the_reader(rises: list[Rise]) -> list[Rise]:
    """Without the lines that waited for a pipeline, where functions of that pipeline were seen at work."""
    reading = sum(rise.grown for rise in rises if rise.reads)
    behind = sum(rise.grown for rise in rises if rise.aside and rise.own and not rise.reads)
    worth = max(GROWTH_WORTH_NAMING_BYTES, SEEN_BEHIND_A_READER * (reading + behind))
    if not reading or behind < worth:
        return rises
    return [rise._replace(own=()) if rise.reads else rise for rise in rises]


def _tally(rises: Sequence[Rise]) -> Tally:
    tally = Tally()
    for rise in rises:
        if rise.grown and rise.own:
            tally.add(rise.own, rise.grown, rise.at)
    return tally


def _after_the_last_plateau(rises: Sequence[Rise]) -> int:
    """Where the last rise begins: what was filled long before, and stayed, is not what ended the program."""
    small = PLATEAU_PART * sum(rise.grown for rise in rises)
    end, grown = 0, 0
    first = 0
    for index, rise in enumerate(rises):
        grown += rise.grown
        while grown > small and first <= index:
            grown -= rises[first].grown
            first += 1
        if index - first >= PLATEAU_LOOKS and rise.at - rises[first].at >= PLATEAU_SECONDS:
            end = index + 1
    return end


def _what_made_it(line: Line, shares: Mapping[Line, int], lines: SourceLines) -> Line:
    """A line that only waits is where the sampler got its turn; what grew was made by its neighbours."""
    file, number, function = line
    makers = makers_around(lines.tree(file), number)
    if not makers:
        return line
    seen = [maker for maker in makers if shares.get((file, maker, function))]
    best = max(seen, key=lambda maker: shares[file, maker, function], default=makers[0])
    return (file, best, function)


class Seen(NamedTuple):
    """The user's lines of the thread that works, innermost first, each once; and what it is busy with."""

    own: list[Line]
    importing: bool = False
    reads: bool = False
    aside: bool = False
    package: str = ""


def _own_lines(record: Mapping[str, Any], lines: SourceLines) -> Seen:
    threads = [thread for thread in record.get("threads", ()) if isinstance(thread, dict)]
    threads.sort(
        key=lambda thread: (_idleness(thread.get("frames"), lines), not thread.get("main"))
    )
    for thread in threads:
        frames = [
            (frame[0], frame[1], frame[2]) for frame in thread.get("frames", ()) if len(frame) == 3
        ]
        own = list(dict.fromkeys(frame for frame in frames if lines.is_own(frame[0])))
        if own:
            importing = any(frame[0].startswith("<frozen importlib") for frame in frames)
            reads = str(frames[0][0]).endswith(READING_FILES)
            package = package_of(str(frames[0][0]))
            return Seen(own, importing, reads, not thread.get("main"), package)
    return Seen([])


def _idleness(frames: Any, lines: SourceLines) -> int:
    """0: it works; 1: it may wait for another thread; 2: it waits."""
    if not isinstance(frames, list) or not frames:
        return 2
    innermost = str(frames[0][0])
    if innermost.endswith(WAITING_FILES):
        return 2
    if innermost.endswith(PERHAPS_WAITING_FILES):
        return 1
    return int(lines.is_own(innermost) and only_waits(lines.tree(innermost), int(frames[0][1])))
