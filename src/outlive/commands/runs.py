"""`outlive runs`: what was recorded; remove what is old, hand a run on."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

import click

from outlive.commands.completing import complete_run, complete_unit
from outlive.commands.measures import byte_count, moment
from outlive.errors import NothingRecorded, UsageError
from outlive.model import EndingKind, size
from outlive.record import runs
from outlive.record.reading import is_running, read_run, start_of
from outlive.report.text import visible
from outlive.showing import console_on
from outlive.stored import stored_verdict

#: What `--cause` takes beside slugs.
ANY_CAUSE, NO_CAUSE = "any", "none"


@click.group(
    "runs", invoke_without_command=True, short_help="List the recorded runs; prune, export."
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@click.option(
    "-n", "count", default=20, show_default=True, help="How many, the newest first. 0 for all."
)
@click.option(
    "--cause",
    "slug",
    metavar="SLUG",
    shell_complete=complete_unit,
    help="Only those that died of this; `any`: of anything that was found; `none`: without a cause.",
)
@click.option("--folder", type=click.Path(), help="Only those started in this folder or below it.")
@click.option("--here", is_flag=True, help="The same for the folder you are in.")
@click.option(
    "--since",
    type=moment,
    metavar="WHEN",
    help="Only those begun since then: 90m, 2h, 3d, 2026-11-16.",
)
@click.pass_context
def list_(
    context: click.Context,
    as_json: bool,
    count: int,
    slug: str | None,
    folder: str | None,
    here: bool,
    since: float | None,
) -> None:
    """List the recorded runs, the newest first: when, how it ended, why, what was run.

    \b
      outlive runs --here --since 2d                of this project, the last two days
      outlive runs --cause kept-in-container -n 0   every one that died of a list
      outlive runs prune --older-than 30d           what would go; with --yes it goes
      outlive runs export RUN run.zip               one file, to be read with `outlive why run.zip`
    """
    if context.invoked_subcommand is not None:
        return
    within = os.path.realpath(folder or os.curdir) if folder or here else None
    rows: list[dict[str, Any]] = []
    for row in _summaries():
        if len(rows) == count and count:
            break
        if _fits(row, slug, within, since):
            rows.append(row)
    if as_json:
        for row in rows:
            print(json.dumps({name: value for name, value in row.items() if name != "time"}))
        return
    if not rows:
        _say_nothing_fits(bool(slug or within or since))
        return
    _print_rows(rows)


def _say_nothing_fits(filtered: bool) -> None:
    if filtered and runs.list_runs():
        print("No recorded run is like that; `outlive runs -n 0` lists all.", file=sys.stderr)
    else:
        print(f"Nothing has been recorded yet (looked in {runs.runs_folder()}).", file=sys.stderr)


def _fits(row: dict[str, Any], slug: str | None, within: str | None, since: float | None) -> bool:
    if slug == ANY_CAUSE and row["cause"] is None:
        return False
    if slug == NO_CAUSE and row["cause"] is not None:
        return False
    if slug not in (None, ANY_CAUSE, NO_CAUSE) and slug not in (row["cause"], *row["also"]):
        return False
    if within is not None:
        started = os.path.realpath(row["folder"] or "/")
        if started != within and not started.startswith(within.rstrip("/") + "/"):
            return False
    return since is None or (row["time"] is not None and row["time"] >= since)


@list_.command("prune")
@click.option(
    "--older-than",
    "before",
    type=moment,
    metavar="WHEN",
    help="Those begun before then: 30d, 2w, 2026-11-16.",
)
@click.option("--keep", "most", type=click.IntRange(0), metavar="N", help="All but the newest N.")
@click.option(
    "--max-size",
    "most_bytes",
    type=byte_count,
    metavar="SIZE",
    help="The oldest, until the rest takes no more: 200MB.",
)
@click.option("--yes", is_flag=True, help="Do it. Without, it is only said what would go.")
def prune(before: float | None, most: int | None, most_bytes: int | None, yes: bool) -> None:
    """Remove recorded runs: those that are older, beyond a number, or beyond a size (any of them, if several are given).

    Without --yes nothing is removed. A run that still goes on is never removed. (By itself Outlive keeps the newest 100, and
    at most 500 MB.)
    """
    if before is None and most is None and most_bytes is None:
        raise UsageError(
            "Say which runs may go.",
            "For example:  outlive runs prune --older-than 30d    outlive runs prune --keep 20",
        )
    from outlive.record.pruning import all_kept, to_go

    kept = all_kept()
    chosen = to_go(kept, before=before, most=most, most_bytes=most_bytes)
    for run in chosen:
        if yes:
            runs.remove(run.folder)
        print(f"{'removed' if yes else 'would remove'}  {run.name}  {size(run.bytes)}")
    left = len(kept) - len(chosen)
    freed = size(sum(run.bytes for run in chosen))
    done = "removed" if yes else "would go; nothing is removed without --yes"
    print(f"{len(chosen)} runs, {freed}, {done}. {left} stay.", file=sys.stderr)


@list_.command("export")
@click.argument("name", metavar="RUN", shell_complete=complete_run)
@click.argument("file", type=click.Path(dir_okay=False))
@click.option(
    "--share",
    is_flag=True,
    help="For strangers: the masked verdict and page alone, no record, no source.",
)
def export(name: str, file: str, share: bool) -> None:
    """Write RUN (`last` for the newest) into one FILE that needs nothing else: record, verdict, page, and the source that its lines are in.

    A zip file: a colleague without Outlive opens `verdict.html` in it; with Outlive, `outlive why FILE`, `outlive why FILE --open`
    and `outlive compare FILE RUN` work as if it had been run there. It holds paths, arguments and your source; for strangers
    add --share.
    """
    from outlive.exporting import export as write
    from outlive.record.pruning import goes_on

    folder = runs.find_run(None if name == "last" else name)
    payloads, rings = read_run(folder)
    if goes_on(folder, start_of(payloads), rings):
        raise NothingRecorded(
            f"The run {os.path.basename(folder)} is still going on.", "Export it when it has ended."
        )
    write(folder, file, share)
    print(f"outlive: {os.path.basename(folder)} is in {file}", file=sys.stderr)


def _print_rows(rows: Sequence[dict[str, Any]]) -> None:
    """A line for each run: cut at the edge of a terminal, whole in a pipe."""
    from rich.cells import cell_len, set_cell_size
    from rich.text import Text

    titles = ("run", "ended", "cause", "command")
    cells = [titles, *(tuple(visible(str(row[title] or "")) for title in titles) for row in rows)]
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    console = console_on(sys.stdout)
    for cell in cells:
        padded = [set_cell_size(text, width) for text, width in zip(cell, widths, strict=True)]
        line = Text("  ".join(padded).rstrip())
        if console.is_terminal:
            line.truncate(console.width, overflow="ellipsis")
        console.print(line, soft_wrap=True)


def _summaries() -> Iterator[dict[str, Any]]:
    """Of every run, the newest first."""
    for name in reversed(runs.list_runs()):
        yield _summary(name)


def _summary(name: str) -> dict[str, Any]:
    folder = runs.folder_of(name)
    payloads, _ = read_run(folder)
    run = start_of(payloads)
    began = run.get("time")
    row: dict[str, Any] = {
        "run": name,
        "ended": None,
        "cause": None,
        "command": " ".join(str(word) for word in run.get("command", ())),
        "began": time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(began)) if began else None,
        "also": [],
        "folder": run.get("folder"),
        "revision": run.get("revision") or None,
        "time": began,
    }
    try:
        verdict = stored_verdict(folder)
    except Exception as error:  # one unreadable verdict must not hide the others
        return row | {"ended": f"unreadable: {error}"}
    row["ended"] = verdict.ending.detail if verdict else _without_verdict(run, payloads)
    if verdict is not None and verdict.cause is not None:
        row["cause"] = verdict.cause.slug
        row["also"] = [finding.slug for finding in verdict.findings[1:]]
    related = runs.relatives(folder)
    well = verdict is None or verdict.ending.kind is EndingKind.SUCCESS
    before = "healed by" if well else "tried with"
    for words, key in ((before, "healed_from"), ("tried again with", "tried_again_as")):
        if key in related:
            row[key] = related[key]["run"]
            row["ended"] = f"{row['ended']}; {words} {related[key]['remedy']}"
    return row


def _without_verdict(run: dict[str, Any], payloads: list[dict[str, Any]]) -> str:
    """No verdict was stored: nothing happened, or it still goes on, or the supervisor was ended too."""
    end = next((payload for payload in payloads if payload.get("kind") == "end"), None)
    if end is not None:
        return f"finished after {end.get('at', 0):.1f} s"
    return "still running" if is_running(run) else "not sealed: the supervisor was ended too"
