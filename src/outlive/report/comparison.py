"""Two runs side by side: what became of them, their curves, what they ran on. Pure; what is the same is said in few words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from outlive.model.evidence import Evidence
from outlive.model.fact_names import (
    CPU_TIME,
    MACHINE_MEMORY,
    MEMORY_LIMIT,
    MOST_THREADS,
    PEAK_MEMORY,
    RUN_TIME,
    FactName,
)
from outlive.model.findings import Verdict, size
from outlive.model.outlook.forecast import slope
from outlive.model.quick_dataclass import dataclass
from outlive.report.curve import curve, own_memory
from outlive.report.live import duration
from outlive.report.text import visible

NOTHING = "–"

#: So many packages fit on a screen; the JSON has all.
MOST_PACKAGES = 15

#: Points of a curve whose slopes are compared, each with each.
MOST_POINTS = 200
CURVE_CELLS = 24


@dataclass(frozen=True, slots=True)
class Told:
    """One of the two."""

    verdict: Verdict
    evidence: Evidence
    began: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """One line of the comparison."""

    group: str  #: ``verdict``, ``curve``, ``program``, ``environment``, ``packages``
    name: str
    first: str
    second: str
    change: str = ""  #: of a measured value, in words
    values: tuple[float | None, float | None] | None = None  #: of a measured one, as numbers

    @property
    def changed(self) -> bool:
        """Whether the two runs differ in this row."""
        return self.first != self.second

    @property
    def measured(self) -> bool:
        """A figure of the run, which is never quite the same twice; a limit is set by somebody."""
        return self.group == "curve" and self.name != MEMORY_LIMIT


def compare(first: Told, second: Told) -> Sequence[Difference]:
    """Everything that is known of both, in the order in which a person asks."""
    return [
        *_verdicts(first, second),
        *_curves(first.evidence, second.evidence),
        *_programs(first, second),
        *_environments(first.evidence, second.evidence),
    ]


def differ(differences: Sequence[Difference]) -> bool:
    """Whether anything but figures is different: the ending, the cause, or what they ran on."""
    return any(
        it.changed and not it.measured and it.name not in ("began", "ended") for it in differences
    )


def _verdicts(first: Told, second: Told) -> Iterator[Difference]:
    def cause(told: Told) -> str:
        return told.verdict.cause.slug if told.verdict.cause else NOTHING

    def where(told: Told) -> str:
        found = told.verdict.cause.where if told.verdict.cause else None
        return str(found) if found else NOTHING

    yield Difference("verdict", "ended", first.verdict.ending.detail, second.verdict.ending.detail)
    yield Difference("verdict", "cause", cause(first), cause(second))
    yield Difference("verdict", "where", where(first), where(second))


def _programs(first: Told, second: Told) -> Iterator[Difference]:
    for name, text in (
        ("began", lambda told: told.began),
        ("command", lambda told: " ".join(told.evidence.run.program.command)),
        ("folder", lambda told: told.evidence.run.program.folder),
        ("revision", lambda told: told.evidence.circumstances.setting.revision),
    ):
        yield Difference("program", name, text(first) or NOTHING, text(second) or NOTHING)


def _curves(first: Evidence, second: Evidence) -> Iterator[Difference]:
    figures = (
        (RUN_TIME, _seconds, _lasted),
        (PEAK_MEMORY, _peak, size),
        (MEMORY_LIMIT, lambda it: _number(it, MEMORY_LIMIT), size),
        ("memory rises by", _rise, lambda rate: f"{size(rate)}/s"),
        (CPU_TIME, lambda it: _number(it, CPU_TIME), _lasted),
        (MOST_THREADS, lambda it: _number(it, MOST_THREADS), _count),
        ("most open files", _files, _count),
    )
    for name, read, said in figures:
        before, after = read(first), read(second)
        shown = [NOTHING if value is None else said(value) for value in (before, after)]
        yield Difference("curve", name, shown[0], shown[1], _change(before, after), (before, after))


def _change(before: float | None, after: float | None) -> str:
    if before is None or after is None or before <= 0 or before == after:
        return ""
    ratio = after / before
    if ratio >= 2:
        return f"× {ratio:.1f}"
    return f"{'+' if ratio > 1 else '−'}{abs(ratio - 1):.0%}" if abs(ratio - 1) >= 0.005 else ""


def _environments(first: Evidence, second: Evidence) -> Iterator[Difference]:
    before, after = first.circumstances.setting, second.circumstances.setting
    python = (first.run.program.python or NOTHING, second.run.program.python or NOTHING)
    yield Difference("environment", "Python", *python)
    yield Difference("environment", "system", before.system or NOTHING, after.system or NOTHING)
    memory = [_number(it, MACHINE_MEMORY) for it in (first, second)]
    shown = [NOTHING if value is None else size(value) for value in memory]
    yield Difference("environment", MACHINE_MEMORY, shown[0], shown[1])
    yield from _mappings("environment", before.variables, after.variables)
    if before.packages and after.packages:  # of a run without any, nobody knows what changed
        yield from _mappings("packages", before.packages, after.packages)


def _mappings(
    group: str, before: Mapping[str, str], after: Mapping[str, str]
) -> Iterator[Difference]:
    for name in sorted({*before, *after}):
        yield Difference(group, name, before.get(name, NOTHING), after.get(name, NOTHING))


def _number(evidence: Evidence, name: FactName) -> float | None:
    found = evidence.run.fact(name)
    return float(found) if isinstance(found, int | float) else None


def _seconds(evidence: Evidence) -> float | None:
    return _number(evidence, RUN_TIME)


def _peak(evidence: Evidence) -> float | None:
    highest = max((sample.tree_rss_bytes for sample in evidence.run.samples), default=0)
    return max(_number(evidence, PEAK_MEMORY) or 0.0, float(highest)) or None


def _rise(evidence: Evidence) -> float | None:
    """Bytes a second over the second half: the first is what every program loads."""
    living = [sample for sample in evidence.run.samples if sample.tree_rss_bytes]
    half = living[len(living) // 2 :]
    step = max(1, len(half) // MOST_POINTS)
    points = [(sample.at, sample.tree_rss_bytes) for sample in half[::step]]
    return max(0.0, slope(points)) if len(points) > 1 else None


def _files(evidence: Evidence) -> float | None:
    return (
        float(max((sample.open_files or 0 for sample in evidence.run.samples), default=0)) or None
    )


def _lasted(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 60 else duration(seconds)


def _count(value: float) -> str:
    return f"{value:.0f}"


def to_data(first: Told, second: Told) -> dict[str, Any]:
    """For programs: every value, and whether it differs."""
    return {
        "first": first.verdict.run,
        "second": second.verdict.run,
        "differences": [
            {
                "group": it.group,
                "name": it.name,
                "first": _plain(it, 0),
                "second": _plain(it, 1),
                "changed": it.changed,
            }
            for it in compare(first, second)
        ],
    }


def _plain(it: Difference, which: int) -> str | float | None:
    """A value for programs: figures as numbers (bytes, seconds), what is not known as null."""
    if it.values is not None:
        return it.values[which]
    text = (it.first, it.second)[which]
    return None if text == NOTHING else text


def view(first: Told, second: Told) -> RenderableType:
    """Lay out two runs side by side for a terminal, and mark what differs."""
    rows = compare(first, second)
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold", ratio=1)
    table.add_column(overflow="fold", ratio=1)
    table.add_column(no_wrap=True, style="yellow")
    table.add_row("", Text(first.verdict.run, "bold"), Text(second.verdict.run, "bold"), "")
    packages = [it for it in rows if it.group == "packages" and it.changed]
    for it in [it for it in rows if it.group != "packages"]:
        if it.group == "curve" and it.name == RUN_TIME:
            table.add_row("curve", *map(Text, _drawn(first.evidence, second.evidence)), "")
        known = {it.first, it.second} != {NOTHING}
        if it.changed or (known and it.group in ("verdict", "curve")):
            style = "" if it.changed else "dim"
            table.add_row(
                Text(visible(it.name)),
                Text(visible(it.first), style),
                Text(visible(it.second), style),
                it.change,
            )
    for it in packages[:MOST_PACKAGES]:
        table.add_row(Text(visible(it.name)), Text(visible(it.first)), Text(visible(it.second)), "")
    return Group(table, Padding(Text(_remarks(rows, packages), "dim"), (1, 0, 0, 0)))


def _drawn(first: Evidence, second: Evidence) -> list[str]:
    """Both curves at one scale: the higher one fills its row."""
    both = [
        [point for point in own_memory(evidence.run.samples) if point[1]]
        for evidence in (first, second)
    ]
    highest = max((used for points in both for _, used in points), default=0)
    return [curve(points, CURVE_CELLS, highest) or NOTHING for points in both]


def _remarks(rows: Sequence[Difference], packages: Sequence[Difference]) -> str:
    same = [
        it.name
        for it in rows
        if not it.changed and it.group in ("program", "environment") and it.first != NOTHING
    ]
    alike = sum(it.group == "packages" and not it.changed for it in rows)
    known = alike or packages
    told = [
        f"The same: {', '.join(same)}." if same else "",
        f"{len(packages) - MOST_PACKAGES} more packages differ (--json has all)."
        if len(packages) > MOST_PACKAGES
        else "",
        f"{alike} packages are the same."
        if known
        else "The installed packages are not known for at least one of them.",
    ]
    return "  ".join(filter(None, told))
