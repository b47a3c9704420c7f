"""From answers to figures: what counts as right, and the tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from groups import GROUP_OF, GROUPS, NOTHING, UNGROUPED, group_of

from table import Table


@dataclass(frozen=True)
class Row:
    """One answer of one tool about one act of one victim, beside the right one."""

    tool: str
    set: str
    victim: str
    act: str
    expected: str
    lines: list[int]
    cause: str | None = None
    line: int | None = None
    not_played: str | None = None  #: why it is not counted
    failure: str | None = None  #: of the tool: no answer, and that counts

    @property
    def key(self) -> tuple[str, str, str, str]:
        return self.tool, self.set, self.victim, self.act

    @property
    def is_death(self) -> bool:
        return self.act != "spare"

    @property
    def cause_is_right(self) -> bool:
        return (self.cause or NOTHING) == self.expected

    @property
    def group_is_right(self) -> bool:
        said = GROUP_OF.get(self.cause or NOTHING)
        return self.cause_is_right or said == group_of(self.expected)

    @property
    def line_is_right(self) -> bool:
        """A line is right whatever cause was named: it is a start."""
        return self.line in self.lines


@dataclass(frozen=True)
class Marks:
    """How many of how many."""

    deaths: int
    causes: int
    groups: int
    with_line: int
    lines: int
    twins: int
    false_alarms: int
    silent: int  #: deaths about which nothing was said, which is better than a wrong word


def mark(rows: Iterable[Row]) -> Marks:
    counted = [row for row in rows if row.not_played is None]
    deaths = [row for row in counted if row.is_death]
    lined = [row for row in deaths if row.lines]
    twins = [row for row in counted if not row.is_death]
    return Marks(
        len(deaths),
        sum(row.cause_is_right for row in deaths),
        sum(row.group_is_right for row in deaths),
        len(lined),
        sum(row.line_is_right for row in lined),
        len(twins),
        sum(row.cause is not None for row in twins),
        sum(row.cause is None and row.expected != NOTHING for row in deaths),
    )


def played_by_all(rows: list[Row]) -> list[Row]:
    """Only what every tool was asked about can be compared."""
    tools = {row.tool for row in rows}
    asked: dict[tuple[str, str, str], set[str]] = {}
    for row in rows:
        if row.not_played is None:
            asked.setdefault(row.key[1:], set()).add(row.tool)
    return [row for row in rows if row.not_played is None and asked[row.key[1:]] == tools]


def tables(rows: list[Row]) -> list[Table]:
    """Totals by tool, and right causes by group; over what every tool was asked about."""
    compared = played_by_all(rows)
    by_tool = {tool: [row for row in compared if row.tool == tool] for tool in _tools(rows)}
    return [_totals(by_tool), _by_group(by_tool)]


def _totals(by_tool: dict[str, list[Row]]) -> Table:
    marks = {tool: mark(rows) for tool, rows in by_tool.items()}
    return Table(
        "Every tool",
        "Right answers of all deaths that every tool was asked about; lines of those that have a line to name; "
        "alarms about twins that lived; deaths about which nothing was said.",
        ("tool", "cause", "group", "line", "false alarms", "silent"),
        tuple(
            (
                tool,
                _share(found.causes, found.deaths),
                _share(found.groups, found.deaths),
                _share(found.lines, found.with_line),
                f"{found.false_alarms} of {found.twins}",
                f"{found.silent} of {found.deaths}",
            )
            for tool, found in marks.items()
        ),
    )


def _by_group(by_tool: dict[str, list[Row]]) -> Table:
    rows = []
    for group in (*GROUPS, UNGROUPED):
        marks = [
            mark(row for row in rows if group_of(row.expected) == group)
            for rows in by_tool.values()
        ]
        if any(found.deaths for found in marks):
            counts = (str(found.causes) for found in marks)
            rows.append((group, str(marks[0].deaths), *counts))
    whole = [mark(rows) for rows in by_tool.values()]
    total = ("**all**", str(whole[0].deaths if whole else 0), *(str(w.causes) for w in whole))
    return Table(
        "By group",
        "n deaths of the group, and how many of them each tool named with the right cause.",
        ("group", "n", *by_tool),
        (*rows, total),
    )


def _tools(rows: list[Row]) -> list[str]:
    return list(dict.fromkeys(row.tool for row in rows))


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole}" + (f" ({part / whole:.0%})" if whole else "")
