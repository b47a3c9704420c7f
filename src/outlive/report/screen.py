"""The verdict right after a death: headline, why, where, fix and one row of facts; all else is said by `outlive why`.

At most 16 rows at 80 columns, so that it fits a terminal beside the last lines of the program and the shell's own. Texts that are longer end with "…"; the
tag with the cause and its confidence, and commands to type, are never cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from rich.cells import cell_len
from rich.console import Console
from rich.style import Style
from rich.text import Text

from outlive.model.findings import NO_EFFECT, EndingKind, Fact, Finding, Place, Remedy, Verdict
from outlive.report.headline import UNNAMED, headline
from outlive.report.text import COLOUR, SURE, UNKNOWN, Neighbours, harmless, said, visible

#: The address behind a place, for terminals that can open it; nothing for a cell or a file that is gone.
Address = Callable[[Place], str]

INDENT = 2
LABEL = 7  #: "Where" and two blanks
ROWS_OF_HEADLINE = 2
ROWS_OF_WHY = 4
ROWS_OF_FIX = 3
MOST_GAPS = 4
LONGEST_VALUE = 60


def render_screen(
    verdict: Verdict,
    console: Console,
    neighbours: Neighbours = lambda place: (),
    name: str = UNNAMED,
    address: Address = lambda place: "",
) -> None:
    """Print the short form of a verdict."""
    told = harmless(verdict)
    width = max(20, console.width)
    with console.capture() as captured:
        for line in _Screen(console, width, neighbours, address).lines(told, visible(name)):
            console.print(line, soft_wrap=True)
    console.file.write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))
    console.file.flush()


class _Screen:
    """The rows of one verdict, at one width."""

    def __init__(
        self, console: Console, width: int, neighbours: Neighbours, address: Address
    ) -> None:
        self._console = console
        self._width = width
        self._room = width - INDENT - LABEL
        self._neighbours = neighbours
        self._address = address

    def lines(self, verdict: Verdict, name: str) -> Iterator[Text]:
        """Give all rows, top to bottom."""
        good = verdict.ending.kind is EndingKind.SUCCESS
        words = Text("outlive: ", "bold")
        words.append(headline(verdict.ending, name), "green" if good else "bold red")
        yield from self._wrapped(words, ROWS_OF_HEADLINE, self._width)
        if verdict.cause is not None:
            yield from self._cause(verdict.cause)
        else:
            yield from self._unknown(verdict)
        for what, why in verdict.gaps.items():
            if why.startswith(NO_EFFECT):
                yield from self._row("Note", Text(f"{what} {why}"), 2)
        if verdict.failures:
            broken = verdict.failures[0].slug
            yield from self._row("Note", Text(f"Internal error: the check for {broken} failed."), 1)
        explain = f" · outlive explain {verdict.cause.slug}" if verdict.cause else ""
        yield from self._row("More", Text(f"outlive why{explain}", "dim"), 2)

    def _unknown(self, verdict: Verdict) -> Iterator[Text]:
        if verdict.ending.kind is EndingKind.SUCCESS:
            yield from self._row("Why", Text("Nothing is wrong."), 1)
            return
        if verdict.ending.kind is EndingKind.HANG and not verdict.gaps:
            words = "No problem found: it is waiting, as shown above."
            yield from self._row("Why", Text(words), 2)
            return
        missing = [
            f"{what}: {why}" for what, why in verdict.gaps.items() if not why.startswith(NO_EFFECT)
        ]
        words = f"{UNKNOWN} Not available:" if missing else UNKNOWN
        yield from self._row("Why", Text(words, "yellow"), 2)
        for words in missing[:MOST_GAPS]:
            yield from self._row("", Text(words, "dim"), 1)

    def _cause(self, cause: Finding) -> Iterator[Text]:
        yield from self._why(cause)
        if cause.where is not None:
            yield from self._where(cause.where)
        if cause.remedies:
            yield from self._fix(cause.remedies[0])
        facts = self._facts(cause.because)
        if facts:
            yield from self._row("Facts", Text(facts, "dim"), 1)

    def _why(self, cause: Finding) -> Iterator[Text]:
        """The sentence and its tag; the sentence is cut where both do not fit."""
        tag = f"  [{SURE[cause.confidence]}: {cause.slug}]"
        text = Text()
        for length in range(len(cause.says), -1, -8):
            cut = cause.says[:length].rstrip()
            text = Text(cut if length == len(cause.says) else f"{cut}…")
            text.append(tag, COLOUR[cause.confidence])
            if len(text.wrap(self._console, self._room)) <= ROWS_OF_WHY:
                break
        yield from self._row("Why", text, ROWS_OF_WHY)

    def _where(self, place: Place) -> Iterator[Text]:
        tail = f" in {place.function}" if place.function not in ("", "<module>") else ""
        name = str(place)
        while cell_len(name) > self._room:
            name = f"…{name[2:]}"  # the end of a path tells most
        address = self._address(place)
        text = Text(name, Style(bold=True, link=address or None))
        if cell_len(name + tail) <= self._room:
            text.append(tail, "not bold")
        yield from self._row("Where", text, 1)
        around = [line for line in self._neighbours(place) if abs(line[0] - place.line) <= 1] or (
            [(place.line, place.code)] if place.code else []
        )
        digits = max((len(str(number)) for number, _ in around), default=1)
        for number, code in around:
            here = number == place.line
            row = Text(f"{'→' if here else ' '} {number:>{digits}} │ ", "red" if here else "dim")
            row.append(visible(code), "bold" if here else "dim")
            yield from self._row("", row, 1)

    def _fix(self, remedy: Remedy) -> Iterator[Text]:
        yield from self._row("Fix", Text(remedy.text, "green"), ROWS_OF_FIX)
        for command in remedy.commands[:1]:
            whole = Text(f"  {command}", "bold")
            if whole.cell_len <= self._room:
                yield from self._row("", whole, 1)

    def _facts(self, facts: Sequence[Fact]) -> str:
        """As many facts as fit on one row."""
        row = ""
        for fact in facts:
            value = said(fact)
            words = f"{row} · {fact.name} {value}" if row else f"{fact.name} {value}"
            if len(value) <= LONGEST_VALUE and cell_len(words) <= self._room:
                row = words
        return row

    def _row(self, label: str, text: Text, most: int) -> Iterator[Text]:
        for number, line in enumerate(self._wrapped(text, most, self._room)):
            row = Text(" " * INDENT)
            row.append(f"{label if number == 0 else '':<{LABEL}}", "bold")
            yield row + line

    def _wrapped(self, text: Text, most: int, width: int) -> Iterator[Text]:
        """The text in rows of this width; what does not fit into them ends with "…"."""
        if most == 1:
            text.truncate(width, overflow="ellipsis")
            yield text
            return
        rows = text.wrap(self._console, width, overflow="fold")
        yield from rows[:most] if len(rows) <= most else rows[: most - 1]
        if len(rows) > most:
            last = rows[most - 1]
            last.rstrip()
            last.truncate(width - 1)
            yield last + Text("…")
