"""The verdict on a job on one screen: the rank that brought it down, how one can tell, and all others in a line each."""

from __future__ import annotations

import shlex
from collections.abc import Callable

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from outlive.model.findings import Finding, Place
from outlive.model.ranks.job import JobVerdict, Part, RankVerdict, State
from outlive.recorder.store.run_folders import last_part
from outlive.report.text import COLOUR, SURE, Neighbours, harmless, place_text, visible

#: Source lines around a place of one run.
NeighboursOf = Callable[[str], Neighbours]

#: What stands in the table of ranks.
WORDS = {
    Part.FIRST: "first",
    Part.ALSO: "died, too",
    Part.VICTIM: "victim",
    Part.ENDED: "was ended",
    Part.WAITS: "waits",
    Part.FINISHED: "ended well",
    Part.RUNNING: "running",
    Part.NO_RECORD: "no record",
    Part.UNKNOWN: "unknown",
}
#: More ranks than this are counted, but for those that matter.
MOST_RANKS = 16
DULL = (Part.VICTIM, Part.ENDED, Part.WAITS, Part.FINISHED, Part.RUNNING, Part.NO_RECORD)


def render_job(verdict: JobVerdict, console: Console, neighbours: NeighboursOf) -> None:
    """Print the verdict on a job."""
    with console.capture() as captured:
        console.print(Group(*_parts(harmless(verdict), neighbours)), soft_wrap=False)
    lines = captured.get().splitlines()
    console.file.write("".join(f"{line.rstrip()}\n" for line in lines))
    console.file.flush()


def job_headline(verdict: JobVerdict) -> str:
    """Say in one line what became of a job."""
    hosts = {it.record.host for it in verdict.ranks} - {""}
    count = len(verdict.ranks)
    ranks = f"{count} rank{'' if count == 1 else 's'}"
    on = f" on {len(hosts)} hosts" if len(hosts) > 1 else ""
    return f"job {verdict.job} ({ranks}{on}): {_what_happened(verdict)}"


def _what_happened(verdict: JobVerdict) -> str:
    first = verdict.first
    if first is None:
        if not any(it.record.failed for it in verdict.ranks):
            return "no rank has failed" if not verdict.ended else "all ranks ended well"
        return "which rank was first is not known"
    record = first.record
    on = f" on {record.host}" if record.host else ""
    if record.state is State.ABSENT:
        return f"{record.words} left no record, and the others lost it"
    if first.record.failed and verdict.confidence is not None:
        return f"{record.words}{on} died first"
    if record.state is State.ENDED:
        return f"{record.words}{on} left before the others were done"
    return f"{record.words}{on} holds the others up"


def _parts(verdict: JobVerdict, neighbours: NeighboursOf) -> list[RenderableType]:
    fine = verdict.first is None and not any(it.record.failed for it in verdict.ranks)
    headline = Text("outlive: ", "bold").append(job_headline(verdict), "green" if fine else "bold red")  # fmt: skip
    rows = _grid()
    if verdict.first is not None:
        _add_first(rows, verdict.first, neighbours)
    for number, sentence in enumerate(verdict.how):
        sure = f"  [{SURE[verdict.confidence]}]" if verdict.confidence and not number else ""
        rows.add_row("" if number else "How", Text(sentence).append(sure, "dim"))
    rows.add_row("Ranks", _ranks(verdict))
    rows.add_row("More", Text(_more(verdict), "dim"))
    return [headline, Padding(rows, (0, 0, 0, 2))]


def _add_first(rows: Table, first: RankVerdict, neighbours: NeighboursOf) -> None:
    says = Text(first.says)
    cause = _own_cause(first)
    if cause is not None:
        says.append(f"  [{SURE[cause.confidence]}: {cause.slug}]", COLOUR[cause.confidence])
    rows.add_row("Why", says)
    if first.where is not None:
        rows.add_row("Where", _place(first.where, first.record.run, neighbours))
    for remedy in cause.remedies if cause is not None else ():
        fix = Text(remedy.text, "green")
        for command in remedy.commands:
            fix.append(f"\n  {command}", "bold")
        rows.add_row("Fix", fix)


def _own_cause(first: RankVerdict) -> Finding | None:
    """The cause of the first one, where it is what is said of it."""
    cause = first.record.cause
    return cause if cause is not None and first.says.endswith(cause.says) else None


def _place(place: Place, run: str, neighbours: NeighboursOf) -> Text:
    return place_text(place, neighbours(run)(place) if run else ())


def _ranks(verdict: JobVerdict) -> Table:
    """A line for each rank; of many, those that matter and the number of the others."""
    table = Table.grid(padding=(0, 2))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_column(no_wrap=True)
    shown = list(verdict.ranks)
    if len(shown) > MOST_RANKS:
        shown = sorted(shown, key=lambda it: it.part in DULL)[:MOST_RANKS]
    hosts = len({it.record.host for it in verdict.ranks} - {""}) > 1
    for it in shown:
        record = it.record
        name = f"{record.words} on {record.host}" if hosts and record.host else record.words
        line = f" ({it.where})" if it.where is not None and it.part is not Part.FIRST else ""
        run = last_part(record.run) if record.run else ""
        style = "bold" if it.part is Part.FIRST else "dim"
        table.add_row(Text(name, style), Text(WORDS[it.part], style), Text(f"{it.says}{line}", style), Text(run, "dim"))  # fmt: skip
    left = len(verdict.ranks) - len(shown)
    if left:
        table.add_row(Text(f"{left} more", "dim"), "", Text("outlive why --job --json lists all", "dim"), "")  # fmt: skip
    return table


def _more(verdict: JobVerdict) -> str:
    first = verdict.first
    named = f"outlive why {last_part(first.record.run)} · " if first and first.record.run else ""
    return f"{named}outlive why --job {visible(shlex.quote(verdict.job))} --json"


def _grid() -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    return table
