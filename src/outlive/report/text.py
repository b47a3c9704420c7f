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

from outlive.model.fact_names import Measure
from outlive.model.findings import (
    Confidence,
    Ending,
    EndingKind,
    Fact,
    Finding,
    Place,
    Verdict,
    size,
)
from outlive.recorder.store.run_folders import KERNEL_PREFIX
from outlive.report.headline import UNNAMED, headline

#: Lines of source around a place: ``(number, text)`` pairs; the report itself reads no file.
Neighbours = Callable[[Place], Sequence[tuple[int, str]]]

SURE = {Confidence.PROVEN: "proven", Confidence.LIKELY: "likely", Confidence.POSSIBLE: "possible"}
COLOUR = {Confidence.PROVEN: "bold red", Confidence.LIKELY: "yellow", Confidence.POSSIBLE: "cyan"}
#: What is said where no cause fits.
UNKNOWN = "Cause unknown: nothing recorded is conclusive."

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


def shown(words: str) -> str:
    """The same for words of several lines, which stay apart."""
    return "\n".join(visible(line) for line in words.split("\n"))


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


def render(
    verdict: Verdict,
    console: Console,
    neighbours: Neighbours = lambda place: (),
    name: str = UNNAMED,
) -> None:
    """Print the whole verdict, with its facts, sources and gaps."""
    with console.capture() as captured:
        console.print(Group(*_parts(harmless(verdict), neighbours, visible(name))), soft_wrap=False)
    lines = captured.get().splitlines()
    console.file.write("".join(f"{line.rstrip()}\n" for line in lines))
    console.file.flush()


def _parts(verdict: Verdict, neighbours: Neighbours, name: str) -> list[RenderableType]:
    parts: list[RenderableType] = [_headline(verdict.ending, name)]
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
    for finding in verdict.warnings:
        rows.add_row("Warned", Text(f"{finding.says}  [{finding.slug}]", "dim"))
    for what, why in verdict.gaps.items():
        rows.add_row("Missing", Text(f"{what}: {why}", "dim"))
    for broken in verdict.failures:
        words = f"Internal error: the check for {broken.slug} failed: {broken.error}"
        rows.add_row("Note", Text(words, "dim"))
    more = f"outlive explain {cause.slug} · " if cause else ""
    if cause is not None and cause.where is not None and _may_be_patched(cause.slug):
        rows.add_row("Patch", Text(f"outlive fix{_named(verdict.run)}", "dim"))
    rows.add_row("More", Text(f"{more}outlive why{_named(verdict.run)} --json", "dim"))
    parts.append(Padding(rows, (0, 0, 0, 2)))
    return parts


def _may_be_patched(slug: str) -> bool:
    """Whether a fix knows how to write a patch for this cause; whether it can for this program, `outlive fix` finds out."""
    from outlive.units.unit import discover, fix

    return any(slug in unit.heals for unit in discover(fix))


def _named(run: str) -> str:
    """The name by which `outlive why` finds a run. A kernel within a run has none: the run is the last one, and tells of it."""
    return "" if not run or run.startswith(KERNEL_PREFIX) else f" {run}"


def _headline(ending: Ending, name: str) -> Text:
    good = ending.kind is EndingKind.SUCCESS
    text = Text("outlive: ", "bold")
    return text.append(headline(ending, name), "green" if good else "bold red")


def _nothing(verdict: Verdict) -> RenderableType:
    if verdict.ending.kind is EndingKind.SUCCESS and verdict.warnings:
        return Padding(Text("It ended well; a watch warned while it ran."), (0, 0, 0, 2))
    if verdict.ending.kind is EndingKind.SUCCESS:
        return Padding(Text("Nothing is wrong."), (0, 0, 0, 2))
    if verdict.ending.kind is EndingKind.HANG and not verdict.gaps:
        words = "No problem found: it is waiting, as shown above. Outlive did not touch it."
        return Padding(Text(words), (0, 0, 0, 2))
    return Padding(
        Text(UNKNOWN, "yellow"),
        (0, 0, 0, 2),
    )


def _cause(cause: Finding, neighbours: Neighbours) -> list[RenderableType]:
    rows = _grid()
    says = Text(cause.says)
    says.append(f"  [{SURE[cause.confidence]}: {cause.slug}]", COLOUR[cause.confidence])
    rows.add_row("Why", says)
    if cause.where is not None:
        rows.add_row("Where", place_text(cause.where, neighbours(cause.where)))
    for remedy in cause.remedies:
        fix = Text(remedy.text, "green")
        for command in remedy.commands:
            fix.append(f"\n  {command}", "bold")
        rows.add_row("Fix", fix)
    if cause.because:
        rows.add_row("Facts", _facts(cause.because[:MAX_FACTS]))
    return [Padding(rows, (0, 0, 0, 2))]


def place_text(place: Place, around: Sequence[tuple[int, str]]) -> Text:
    """A place with the lines around it, the line itself marked."""
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
        value = said(fact)
        told = Text(value if len(value) <= MAX_VALUE else f"{value[:MAX_VALUE]}…")
        told.append(f"  {fact.source}", "dim")
        table.add_row(Text(fact.name), told)
    return table


def said(fact: Fact) -> str:
    """A value as a person reads it, in the unit of the fact."""
    value = fact.value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if fact.unit is Measure.BYTES:
        return size(value)
    return f"{value:.1f} s" if fact.unit is Measure.SECONDS else str(value)


def _grid() -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    return table
