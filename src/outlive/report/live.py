"""A recorded program while it runs, in a few lines of a terminal of 80 columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from outlive.model.events import Moment, Origin, Thrown
from outlive.model.evidence import Evidence
from outlive.model.findings import Place, size
from outlive.model.memory import Holder, Stage
from outlive.model.outlook.forecast import room, seconds_left
from outlive.model.quick_dataclass import dataclass
from outlive.report.curve import CURVE_CELLS, curve, own_memory
from outlive.report.headline import short_command
from outlive.report.text import visible

#: What ran during the last seconds counts as what runs now.
HOT_SECONDS = 10.0
BAR_CELLS = 28
STRIP_CURVE_CELLS = 40
MOST_STAGES = 2
MOST_HOLDERS = 2

MOST_FIRED = 2

#: Rows of a whole panel; what does not fit in so many gets one row.
PANEL_ROWS = 6 + MOST_HOLDERS + MOST_STAGES + MOST_FIRED
STRIP_ROWS = 5
WIDEST_STRIP = 120
USUAL_WIDTH = 80
LABEL = 9  #: "noticed" and two blanks
WIDTH_OF_USES = 44  #: "12.3 cores  123 threads  1234 files", its label, and the blanks between
FEWEST_CELLS = 4
AT_THIS_RATE = " at this rate"

#: From here on the bar is drawn in yellow, then in red.
FILLING, NEARLY_FULL = 0.7, 0.9


@dataclass(frozen=True, slots=True)
class Alive:
    """One run that goes on."""

    run: str
    evidence: Evidence
    moments: Sequence[Moment]

    @property
    def seconds(self) -> float:
        """How long it has been running, by the newest sample."""
        return self.evidence.run.samples[-1].at if self.evidence.run.samples else 0.0

    @property
    def hottest(self) -> tuple[Place, float] | None:
        """The line that was seen most often lately, and in which part of the looks."""
        if not self.moments:
            return None
        since = self.moments[-1].at - HOT_SECONDS
        seen = Counter(moment.place for moment in self.moments if moment.at >= since)
        places = [(place, count) for place, count in seen.most_common() if place is not None]
        return (places[0][0], places[0][1] / seen.total()) if places else None

    @property
    def cores(self) -> float | None:
        """How many cores it keeps busy, over the last readings."""
        recent = [sample for sample in self.evidence.run.samples if sample.at >= self.seconds - 5.0]
        if len(recent) < 2 or recent[-1].at <= recent[0].at:
            return None
        return (recent[-1].cpu_seconds - recent[0].cpu_seconds) / (recent[-1].at - recent[0].at)

    @property
    def seconds_left(self) -> float | None:
        """Until memory runs out, if it goes on as it does."""
        return seconds_left(self.evidence.run.samples)

    @property
    def memory(self) -> Sequence[tuple[float, int]]:
        """What it had in memory, by time."""
        return own_memory(self.evidence.run.samples)

    @property
    def holders(self) -> Sequence[Holder]:
        """The containers that hold its memory, as the last heap scan found them."""
        return self.evidence.growth.holders.get(self.evidence.run.program.pid, ())

    @property
    def stages(self) -> Sequence[Stage]:
        """The stages of its pipelines, the one that may hold most first."""
        return sorted(self.evidence.pipelines.stages, key=lambda stage: -(stage.bytes or 0))

    @property
    def fired(self) -> Sequence[str]:
        """What the recorder has noticed since the start, the newest first."""
        evidence = self.evidence
        found = [
            (
                thrown.at,
                f"{_kind(thrown)}: {thrown.words}" + (f" at {thrown.own}" if thrown.own else ""),
            )
            for thrown in evidence.errors.thrown
            if not thrown.seen and not (evidence.memory.brakes and thrown.is_a("MemoryBrake"))
        ]
        found += [(warned.at, warned.says) for warned in evidence.run.warnings]
        found += [(at, "brake: the running code was stopped") for at in evidence.memory.brakes]
        found += [
            (child.at, f"process {child.pid} died: {child.signal or f'status {child.exit_code}'}")
            for child in evidence.children.deaths
            if not child.asked
        ]
        found += [(got.at, f"{got.signal} arrived") for got in evidence.signals.received]
        still = evidence.waits.standstill
        sleeps = still is not None and still.main is not None and still.main.is_sleeping
        if still is not None and not still.working and not sleeps:
            found.append((still.at, f"stuck for {still.seconds:.0f} s: {still.words()}"))
        looks = evidence.growth.looks.get(evidence.run.program.pid)
        if looks is not None and looks.ledgers:
            found.append((0.0, f"memory high: {len(looks.ledgers)} heap scans"))
        found.sort(key=lambda pair: pair[0] or 0.0)
        return [f"{words}  after {duration(at)}" if at else words for at, words in reversed(found)]


WHERE_ERRORS_END = {Origin.CELL: "error in a cell", Origin.WORKER: "error in a worker"}


def _kind(thrown: Thrown) -> str:
    if thrown.is_a("MemoryBrake"):
        return "brake"
    return WHERE_ERRORS_END.get(thrown.origin, "error in the background")


def to_data(alive: Alive) -> dict[str, Any]:
    """Turn a running program into data for `outlive top --json`."""
    last = alive.evidence.run.samples[-1] if alive.evidence.run.samples else None
    known = room(last) if last else None
    hot = alive.hottest
    return {
        "run": alive.run,
        "command": list(alive.evidence.run.program.command),
        "pid": alive.evidence.run.program.pid,
        "seconds": alive.seconds,
        "memory": last.tree_rss_bytes if last else None,
        "used": known[0] if known else None,
        "limit": known[1] if known else None,
        "seconds_left": alive.seconds_left,
        "line": str(hot[0]) if hot else None,
        "line_share": round(hot[1], 3) if hot else None,
        "threads": last.threads if last else None,
        "open_files": last.open_files if last else None,
        "processes": last.processes if last else None,
        "cores": alive.cores,
        "stages": [
            {"kind": stage.kind, "at_most": stage.bytes, "line": str(stage.place or "") or None}
            for stage in alive.evidence.pipelines.stages
        ],
        "fired": list(alive.fired),
    }


def view(
    all_alive: Sequence[Alive], clock: str, rows: int | None = None, width: int = USUAL_WIDTH
) -> RenderableType:
    """All of them, the one that will end first on top; on a screen of so many rows the last ones are told in one row each."""
    title = Text("outlive top", "bold")
    title.append(f"  {len(all_alive)} running  {clock}", "dim")
    if not all_alive:
        nothing = Text("No program started with `outlive run` is running.", "dim")
        return Group(title, nothing)
    ranked = sorted(
        all_alive,
        key=lambda alive: float("inf") if alive.seconds_left is None else alive.seconds_left,
    )
    whole = len(ranked)
    while rows is not None and whole > 1 and 1 + whole * PANEL_ROWS + len(ranked) - whole > rows:
        whole -= 1
    shown = [row for alive in ranked[:whole] for row in _panel(alive, width)]
    shown += [_row(alive, width) for alive in ranked[whole:]]
    for row in shown:
        row.truncate(width, overflow="ellipsis")
    return Group(title, *shown)


def strip(alive: Alive, width: int = USUAL_WIDTH) -> Sequence[Text]:
    """One run in a few rows of this width, below the program's own output."""
    program = alive.evidence.run.program
    head = Text().append("── outlive ", "dim")
    head.append(visible(short_command(program.command)), "bold")
    head.append(f"  pid {program.pid}  {duration(alive.seconds)} ", "dim")
    head.append("─" * WIDEST_STRIP, "dim")
    rows = [head]
    if alive.evidence.run.samples:
        drawn = curve(alive.memory, min(STRIP_CURVE_CELLS, max(8, width - WIDTH_OF_USES)))
        rows += [
            _labelled("memory", _memory(alive, width)),
            _labelled("", Text(f"{drawn}  ").append_text(_uses(alive))),
        ]
    hot = alive.hottest
    if hot is not None:
        rows.append(_labelled("line", _hot(hot)))
    told = [("noticed", words) for words in alive.fired[:1]]
    told += [("holds", _holder(holder)) for holder in alive.holders[:1]]
    told += [("stage", _stage(stage)) for stage in alive.stages[:1]]
    for label, words in told[:1]:
        rows.append(_labelled(label, Text(visible(words), "yellow" if alive.fired else "")))
    return rows[:STRIP_ROWS]


def _labelled(label: str, words: Text) -> Text:
    """A row whose label is never cut: what is too long is cut at the other end."""
    return Text(f"{label:<{LABEL}}", "dim").append_text(words)


def _row(alive: Alive, width: int) -> Text:
    """A run for which there is no room, in one row."""
    row = Text(f"{visible(short_command(alive.evidence.run.program.command))}  ", "bold")
    if alive.evidence.run.samples:
        row.truncate(max(LABEL, width // 2), overflow="ellipsis")
        row.append_text(_memory(alive, width - row.cell_len + LABEL, cells=8))
    return row


def _panel(alive: Alive, width: int) -> Iterator[Text]:
    program = alive.evidence.run.program
    yield _labelled("run", Text(visible(short_command(program.command)), "bold"))
    known = f"{alive.run}  pid {program.pid}  for {duration(alive.seconds)}"
    yield _labelled("", Text(known, "dim"))
    if alive.evidence.run.samples:
        yield _labelled("memory", _memory(alive, width))
        yield _labelled("", Text(curve(alive.memory, min(CURVE_CELLS, max(1, width - LABEL)))))
        yield _labelled("uses", _uses(alive))
    hot = alive.hottest
    if hot is not None:
        yield _labelled("line", _hot(hot))
    for holder in alive.holders[:MOST_HOLDERS]:
        yield _labelled("holds", Text(visible(_holder(holder))))
    for stage in alive.stages[:MOST_STAGES]:
        yield _labelled("stage", Text(visible(_stage(stage))))
    for words in alive.fired[:MOST_FIRED]:
        yield _labelled("noticed", Text(visible(words), "yellow"))


def _hot(hot: tuple[Place, float]) -> Text:
    line = Text().append(visible(f"{hot[0]}"), "bold")
    line.append(f"  {hot[1]:.0%} of the last {HOT_SECONDS:.0f} s  ", "dim")
    return line.append(visible(hot[0].code))


def _holder(holder: Holder) -> str:
    return f"{holder.kind} {holder.name}: {holder.length:,} elements, {size(holder.bytes)}"


def _stage(stage: Stage) -> str:
    most = f" at most {size(stage.bytes)}" if stage.bytes else ""
    return f"{stage.kind}{most}  {stage.place or ''}"


def _memory(alive: Alive, width: int, cells: int = BAR_CELLS) -> Text:
    """The bar, the figures and when it will be full: where all of it does not fit, the bar is shorter."""
    last = alive.evidence.run.samples[-1]
    known = room(last)
    if known is None or not known[1]:
        return Text(size(last.tree_rss_bytes))
    used, limit = known
    share = min(1.0, used / limit)
    words = Text(f"{size(used)} of {size(limit)}")
    left = alive.seconds_left
    if left is not None:
        words.append(f"  full in {duration(left)}", "bold red")
        if LABEL + FEWEST_CELLS + 1 + words.cell_len + len(AT_THIS_RATE) <= width:
            words.append(AT_THIS_RATE, "bold red")
    cells = min(cells, width - LABEL - 1 - words.cell_len)
    if cells < FEWEST_CELLS:
        return words
    full = round(cells * share)
    colour = "red" if share >= NEARLY_FULL else "yellow" if share >= FILLING else "green"
    return Text("█" * full, colour).append("░" * (cells - full) + " ", "dim").append_text(words)


def _uses(alive: Alive) -> Text:
    last = alive.evidence.run.samples[-1]
    parts = [
        f"{alive.cores:.1f} cores" if alive.cores is not None else "",
        f"{last.threads} threads" if last.threads is not None else "",
        f"{last.open_files} files" if last.open_files is not None else "",
        f"{last.processes} processes" if last.processes > 1 else "",
    ]
    return Text("  ".join(filter(None, parts)))


def duration(seconds: float) -> str:
    """Seconds as a person reads them."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    return f"{minutes // 60} h {minutes % 60:02} min"
