"""A recorded program while it runs, in a few lines of a terminal of 80 columns."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from outlive.evidence import Evidence
from outlive.forecast import room, seconds_left
from outlive.memory_use import Holder, Stage
from outlive.model import Place, size
from outlive.observed import Moment, Origin, Thrown
from outlive.report.text import visible

#: What ran during the last seconds counts as what runs now.
HOT_SECONDS = 10.0
BLOCKS = "▁▂▃▄▅▆▇█"
BAR_CELLS = 28
CURVE_CELLS = 48
MOST_STAGES = 2
MOST_HOLDERS = 2

MOST_FIRED = 2

#: Rows of a whole panel; what does not fit in so many gets one row.
PANEL_ROWS = 6 + MOST_HOLDERS + MOST_STAGES + MOST_FIRED
STRIP_ROWS = 5
WIDEST_STRIP = 120

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
        return self.evidence.samples[-1].at if self.evidence.samples else 0.0

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
        recent = [sample for sample in self.evidence.samples if sample.at >= self.seconds - 5.0]
        if len(recent) < 2 or recent[-1].at <= recent[0].at:
            return None
        return (recent[-1].cpu_seconds - recent[0].cpu_seconds) / (recent[-1].at - recent[0].at)

    @property
    def seconds_left(self) -> float | None:
        """Until memory runs out, if it goes on as it does."""
        return seconds_left(self.evidence.samples)

    @property
    def fired(self) -> Sequence[str]:
        """What the recorder has noticed since the start, the newest first."""
        evidence = self.evidence
        found = [
            (
                thrown.at,
                f"{_kind(thrown)}: {thrown.words}" + (f" at {thrown.own}" if thrown.own else ""),
            )
            for thrown in evidence.errors
            if not thrown.seen and not (evidence.brakes and thrown.is_a("MemoryBrake"))
        ]
        found += [(at, "brake: the running code was stopped") for at in evidence.brakes]
        found += [
            (child.at, f"process {child.pid} died: {child.signal or f'status {child.exit_code}'}")
            for child in evidence.children
            if not child.asked
        ]
        found += [(got.at, f"{got.signal} arrived") for got in evidence.signals]
        still = evidence.standstill
        if still is not None and not still.working:
            found.append((still.at, f"stands still for {still.seconds:.0f} s: {still.words()}"))
        looks = evidence.looks.get(evidence.program.pid)
        if looks is not None and looks.ledgers:
            found.append((0.0, f"memory in danger: looked into it {len(looks.ledgers)} times"))
        found.sort(key=lambda pair: pair[0] or 0.0)
        return [f"{words}  after {duration(at)}" if at else words for at, words in reversed(found)]


WHERE_ERRORS_END = {Origin.CELL: "error in a cell", Origin.WORKER: "error in a worker"}


def _kind(thrown: Thrown) -> str:
    if thrown.is_a("MemoryBrake"):
        return "brake"
    return WHERE_ERRORS_END.get(thrown.origin, "error in the background")


def to_data(alive: Alive) -> dict[str, Any]:
    """For programs."""
    last = alive.evidence.samples[-1] if alive.evidence.samples else None
    known = room(last) if last else None
    hot = alive.hottest
    return {
        "run": alive.run,
        "command": list(alive.evidence.program.command),
        "pid": alive.evidence.program.pid,
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
            for stage in alive.evidence.stages
        ],
        "fired": list(alive.fired),
    }


def view(all_alive: Sequence[Alive], clock: str, rows: int | None = None) -> RenderableType:
    """All of them, the one that will end first on top; on a screen of so many rows the last ones are told in one row each."""
    title = Text("outlive top", "bold")
    title.append(f"  {len(all_alive)} running  {clock}", "dim")
    if not all_alive:
        nothing = Text("Nothing that was started with `outlive run` is running now.", "dim")
        return Group(title, nothing)
    ranked = sorted(
        all_alive,
        key=lambda alive: float("inf") if alive.seconds_left is None else alive.seconds_left,
    )
    whole = len(ranked)
    while rows is not None and whole > 1 and 1 + whole * PANEL_ROWS + len(ranked) - whole > rows:
        whole -= 1
    return Group(title, *map(_panel, ranked[:whole]), *map(_row, ranked[whole:]))


def strip(alive: Alive) -> Sequence[Text]:
    """One run in a few rows, below the program's own output."""
    program = alive.evidence.program
    head = Text().append("── outlive ", "dim")
    head.append(visible(_command(alive)), "bold")
    head.append(f"  pid {program.pid}  {duration(alive.seconds)} ", "dim")
    head.append("─" * WIDEST_STRIP, "dim")
    rows = [head]
    if alive.evidence.samples:
        values = [sample.tree_rss_bytes for sample in alive.evidence.samples]
        rows += [_memory(alive), Text(f"{curve(values, 40)}  ").append_text(_uses(alive))]
    hot = alive.hottest
    if hot is not None:
        rows.append(Text().append("line  ", "dim").append_text(_hot(hot)))
    told = [f"! {words}" for words in alive.fired[:1]]
    told += [_holder(holder) for holder in alive.evidence.holders.get(program.pid, ())[:1]]
    told += [_stage(stage) for stage in _largest(alive)[:1]]
    rows += [Text(visible(told[0]), "yellow" if alive.fired else "")] if told else []
    return rows[:STRIP_ROWS]


def _row(alive: Alive) -> Text:
    """A run for which there is no room, in one row."""
    row = Text(f"{visible(_command(alive))}  ", "bold", no_wrap=True, overflow="ellipsis")
    if alive.evidence.samples:
        row.append_text(_memory(alive, cells=8))
    return row


def _command(alive: Alive) -> str:
    words = alive.evidence.program.command
    return " ".join([*(word.rpartition("/")[2] for word in words[:2]), *words[2:]])


def _panel(alive: Alive) -> RenderableType:
    rows = Table.grid(padding=(0, 2))
    rows.add_column(style="dim", no_wrap=True)
    rows.add_column(overflow="ellipsis", no_wrap=True)
    program = alive.evidence.program
    rows.add_row(Text("run", "bold"), Text(visible(_command(alive)), "bold"))
    rows.add_row("", Text(f"{alive.run}  pid {program.pid}  for {duration(alive.seconds)}", "dim"))
    if alive.evidence.samples:
        rows.add_row("memory", _memory(alive))
        rows.add_row("", Text(curve([sample.tree_rss_bytes for sample in alive.evidence.samples])))
        rows.add_row("uses", _uses(alive))
    hot = alive.hottest
    if hot is not None:
        rows.add_row("line", _hot(hot))
    for holder in alive.evidence.holders.get(program.pid, ())[:MOST_HOLDERS]:
        rows.add_row("holds", Text(visible(_holder(holder))))
    for stage in _largest(alive)[:MOST_STAGES]:
        rows.add_row("stage", Text(visible(_stage(stage))))
    for words in alive.fired[:MOST_FIRED]:
        rows.add_row("fired", Text(visible(words), "yellow"))
    return rows


def _hot(hot: tuple[Place, float]) -> Text:
    line = Text().append(visible(f"{hot[0]}"), "bold")
    line.append(f"  {hot[1]:.0%} of the last {HOT_SECONDS:.0f} s  ", "dim")
    return line.append(visible(hot[0].code))


def _holder(holder: Holder) -> str:
    return f"{holder.kind} {holder.name}: {holder.length:,} elements, {size(holder.bytes)}"


def _stage(stage: Stage) -> str:
    most = f" at most {size(stage.bytes)}" if stage.bytes else ""
    return f"{stage.kind}{most}  {stage.place or ''}"


def _largest(alive: Alive) -> Sequence[Stage]:
    return sorted(alive.evidence.stages, key=lambda stage: -(stage.bytes or 0))


def _memory(alive: Alive, cells: int = BAR_CELLS) -> Text:
    last = alive.evidence.samples[-1]
    known = room(last)
    if known is None or not known[1]:
        return Text(size(last.tree_rss_bytes))
    used, limit = known
    share = min(1.0, used / limit)
    full = round(cells * share)
    colour = "red" if share >= NEARLY_FULL else "yellow" if share >= FILLING else "green"
    text = Text().append("█" * full, colour)
    text.append("░" * (cells - full), "dim")
    text.append(f" {size(used)} of {size(limit)}")
    left = alive.seconds_left
    if left is not None:
        text.append(f"  full in {duration(left)} at this rate", "bold red")
    return text


def _uses(alive: Alive) -> Text:
    last = alive.evidence.samples[-1]
    parts = [
        f"{alive.cores:.1f} cores" if alive.cores is not None else "",
        f"{last.threads} threads" if last.threads is not None else "",
        f"{last.open_files} files" if last.open_files is not None else "",
        f"{last.processes} processes" if last.processes > 1 else "",
    ]
    return Text("  ".join(filter(None, parts)))


def curve(values: Sequence[int], most_cells: int = CURVE_CELLS, highest: int = 0) -> str:
    """A row of blocks: the highest value of each part of the time; the scale ends at the highest, if that is given."""
    if not values:
        return ""
    cells = min(most_cells, len(values))
    bounds = [len(values) * cell // cells for cell in range(cells + 1)]
    tops = [max(values[low:high]) for low, high in itertools.pairwise(bounds)]
    highest = max(highest, *tops) or 1
    return "".join(BLOCKS[min(len(BLOCKS) - 1, len(BLOCKS) * top // (highest + 1))] for top in tops)


def duration(seconds: float) -> str:
    """Seconds as a person reads them."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    return f"{minutes // 60} h {minutes % 60:02} min"
