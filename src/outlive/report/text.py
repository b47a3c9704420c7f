"""The verdict on one screen of a terminal."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from typing import TypeVar, cast

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from outlive.model import (
    Confidence,
    EndedBy,
    Ending,
    EndingKind,
    Fact,
    Finding,
    Place,
    Value,
    Verdict,
    size,
)

#: Lines of source around a place: ``(number, text)`` pairs; the report itself reads no file.
Neighbours = Callable[[Place], Sequence[tuple[int, str]]]

SURE = {Confidence.PROVEN: "proven", Confidence.LIKELY: "likely", Confidence.POSSIBLE: "possible"}
COLOUR = {Confidence.PROVEN: "bold red", Confidence.LIKELY: "yellow", Confidence.POSSIBLE: "cyan"}
BY = {
    EndedBy.KERNEL_OOM: "by the kernel, for want of memory",
    EndedBy.PROCESS: "by another process",
    EndedBy.ITSELF: "",
    EndedBy.UNKNOWN: "",
}
MAX_FACTS = 8
MAX_VALUE = 160
MAX_ALSO = 4

#: Control characters, marks that turn the direction of writing, halves of characters: shown, never obeyed.
UNSEEN = re.compile(
    "[\x00-\x08\x0a-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
Told = TypeVar("Told")


def visible(text: str) -> str:
    """A text of the program's, with what a terminal would act upon written out: ``\\x1b[31m``."""
    return UNSEEN.sub(lambda found: ascii(found[0])[1:-1], text)


def harmless(value: Told) -> Told:
    """The same, for every text in a noun."""
    if isinstance(value, str) and not isinstance(value, enum.Enum):
        return cast(Told, visible(value))
    if isinstance(value, tuple | list):
        return cast(Told, tuple(harmless(item) for item in value))
    if isinstance(value, Mapping):
        return cast(Told, {harmless(name): harmless(item) for name, item in value.items()})
    if is_dataclass(value) and not isinstance(value, type):
        return replace(
            value, **{field.name: harmless(getattr(value, field.name)) for field in fields(value)}
        )
    return value


def render(verdict: Verdict, console: Console, neighbours: Neighbours = lambda place: ()) -> None:
    """Print the verdict."""
    with console.capture() as captured:
        console.print(Group(*_parts(harmless(verdict), neighbours)), soft_wrap=False)
    lines = captured.get().splitlines()
    console.file.write("".join(f"{line.rstrip()}\n" for line in lines))
    console.file.flush()


def _parts(verdict: Verdict, neighbours: Neighbours) -> list[RenderableType]:
    parts: list[RenderableType] = [_headline(verdict.ending)]
    cause = verdict.cause
    if cause is None:
        parts.append(_nothing(verdict))
    else:
        parts += _cause(cause, neighbours)
    rows = _grid()
    for finding in verdict.findings[1 : 1 + MAX_ALSO]:
        where = f" ({finding.where})" if finding.where else ""
        rows.add_row(
            "Also",
            Text(f"{finding.says}{where}  [{SURE[finding.confidence]}: {finding.slug}]", "dim"),
        )
    for name, why in verdict.gaps.items():
        rows.add_row("Unread", Text(f"{name}: {why}", "dim"))
    for broken in verdict.failures:
        rows.add_row(
            "Broken", Text(f"the cause {broken.slug} could not be asked: {broken.error}", "dim")
        )
    more = f"outlive explain {cause.slug} · " if cause else ""
    rows.add_row("More", Text(f"{more}outlive why {verdict.run} --json", "dim"))
    parts.append(Padding(rows, (0, 0, 0, 2)))
    return parts


def _headline(ending: Ending) -> Text:
    good = ending.kind is EndingKind.SUCCESS
    text = Text("outlive ", "bold")
    detail = ending.detail or ending.kind.value
    text.append(" ".join(filter(None, [detail, BY[ending.by]])), "green" if good else "bold red")
    return text


def _nothing(verdict: Verdict) -> RenderableType:
    if verdict.ending.kind is EndingKind.SUCCESS:
        return Padding(Text("Nothing is wrong."), (0, 0, 0, 2))
    if verdict.ending.kind is EndingKind.HANG and not verdict.gaps:
        words = "Nothing is known to be wrong: it waits, as said above, and was not touched."
        return Padding(Text(words), (0, 0, 0, 2))
    return Padding(
        Text("The cause is not known: nothing that was recorded decides it.", "yellow"),
        (0, 0, 0, 2),
    )


def _cause(cause: Finding, neighbours: Neighbours) -> list[RenderableType]:
    rows = _grid()
    says = Text(cause.says)
    says.append(f"  [{SURE[cause.confidence]}: {cause.slug}]", COLOUR[cause.confidence])
    rows.add_row("Why", says)
    if cause.where is not None:
        rows.add_row("Where", _place(cause.where, neighbours(cause.where)))
    for remedy in cause.remedies:
        fix = Text(remedy.text, "green")
        for command in remedy.commands:
            fix.append(f"\n  {command}", "bold")
        rows.add_row("Fix", fix)
    if cause.because:
        rows.add_row("Because", _facts(cause.because[:MAX_FACTS]))
    return [Padding(rows, (0, 0, 0, 2))]


def _place(place: Place, around: Sequence[tuple[int, str]]) -> Text:
    text = Text(str(place), "bold")
    if place.function and place.function != "<module>":
        text.append(f" in {place.function}", "not bold")
    lines = around or ([(place.line, place.code)] if place.code else [])
    for number, code in lines:
        here = number == place.line
        text.append(f"\n{'→' if here else ' '} {number:>4} │ ", "red" if here else "dim")
        text.append(visible(code), "bold" if here else "dim")
    return text


def _facts(facts: Sequence[Fact]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for fact in facts:
        value = said(fact.name, fact.value)
        told = Text(value if len(value) <= MAX_VALUE else f"{value[:MAX_VALUE]}…")
        told.append(f"  {fact.source}", "dim")
        table.add_row(Text(fact.name), told)
    return table


#: Facts whose numbers are bytes, known by how they are named.
BYTE_WORDS = ("memory", "limit", "bytes", "room", "size")
SECOND_WORDS = ("time",)
COUNT_WORDS = ("files", "processes", "threads")


def said(name: str, value: Value) -> str:
    """A value as a person reads it."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if any(word in name for word in SECOND_WORDS):
        return f"{value:.1f} s"
    counted = any(word in name for word in COUNT_WORDS)
    if not counted and any(word in name for word in BYTE_WORDS) and abs(value) >= 1000:
        return size(value)
    return str(value)


def _grid() -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    return table
