"""`outlive runs`: what was recorded; remove what is old, hand a run on."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

import click

from outlive.cli.complete_names import complete_run, complete_unit
from outlive.cli.measures import moment, size_or_nothing
from outlive.coroner.gather.gather import membership_in
from outlive.coroner.stored_verdict import stored_verdict
from outlive.errors import NothingRecorded, OutliveError, UsageError, did_you_mean
from outlive.inside.notes import kinds
from outlive.model.findings import EndingKind, size
from outlive.recorder.store import run_folders
from outlive.recorder.store.read_run import (
    is_running,
    may_run_elsewhere,
    notebook_of,
    read_run,
    start_of,
)
from outlive.report.headline import short_command
from outlive.report.terminal import console_on
from outlive.report.text import visible

#: What `--cause` takes beside slugs.
ANY_CAUSE, NO_CAUSE = "any", "none"

#: Of a summary, what is for ourselves; programs get it in another form.
NOT_TOLD = frozenset({"time", "words"})

#: A terminal of so many columns has room for the end and the cause of each run.
WIDTH_FOR_ALL = 100


@click.group(
    "runs", invoke_without_command=True, short_help="List the recorded runs; prune, export."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object per line.")
@click.option(
    "-n", "count", default=20, show_default=True, help="How many to list, newest first. 0 for all."
)
@click.option(
    "--cause",
    "slug",
    metavar="SLUG",
    shell_complete=complete_unit,
    help="Only runs with this cause; `any`: with any cause; `none`: without a cause.",
)
@click.option("--folder", type=click.Path(), help="Only runs started in or below this folder.")
@click.option("--here", is_flag=True, help="Only runs started in or below the current folder.")
@click.option(
    "--since",
    type=moment,
    metavar="WHEN",
    help="Only runs started since: 90m, 2h, 3d, 2026-11-16.",
)
@click.option(
    "--group",
    is_flag=True,
    help="One line for each fault: how often it was met, since which commit, on how many hosts. Needs: pip install 'outlive[fleet]'.",
)
@click.option(
    "--in",
    "places",
    multiple=True,
    metavar="PLACE",
    help="With --group: a folder or bucket (s3://…) below which the runs of other hosts lie. May be given several times.",
)
@click.option(
    "--html",
    "page",
    metavar="FILE",
    help="Write the faults as one self-contained page. - for stdout.",
)
@click.option(
    "--parquet",
    type=click.Path(dir_okay=False),
    help="Write one row for each run, for DuckDB and pandas.",
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
    group: bool,
    places: tuple[str, ...],
    page: str | None,
    parquet: str | None,
) -> None:
    """List the recorded runs, the newest first: when, how it ended, why, what was run.

    \b
      outlive runs --here --since 2d                this project, the last two days
      outlive runs --cause kept-in-container -n 0   every run that died of a growing list
      outlive runs prune --older-than 30d           show what would be deleted; delete with --yes
      outlive runs export RUN run.zip               one file; read it with `outlive why run.zip`
      outlive runs --group --in /shared/outlive     what a fleet dies of: each fault once
    """
    if context.invoked_subcommand is not None:
        return
    if group or page or parquet:
        _refuse_filters(bool(slug or folder or here))
        from outlive.cli.many_runs.fleet import tell_of_a_fleet

        tell_of_a_fleet(
            places, since=since, count=count, as_json=as_json, page=page, parquet=parquet
        )
        return
    if places:
        raise UsageError(
            "--in is for --group, --html and --parquet.", "outlive runs --group --in PLACE"
        )
    if slug not in (None, ANY_CAUSE, NO_CAUSE):
        _require_cause(slug)
    within = os.path.realpath(folder or os.curdir) if folder or here else None
    rows: list[dict[str, Any]] = []
    for row in _summaries():
        if len(rows) == count and count:
            break
        if _fits(row, slug, within, since):
            rows.append(row)
    if as_json:
        for row in rows:
            print(json.dumps({name: it for name, it in row.items() if name not in NOT_TOLD}))
        return
    if not rows:
        _say_nothing_fits(bool(slug or within or since))
        return
    _print_rows(rows)


def _refuse_filters(given: bool) -> None:
    """Refuse to leave out runs of a fleet: a fault that was met before would count as new."""
    if given:
        raise UsageError(
            "--cause, --folder and --here are for the list of runs, not for --group.",
            "All faults:  outlive runs --group",
        )


def _require_cause(slug: str) -> None:
    """Tell a mistyped cause from one that no run has."""
    from outlive.units.unit import cause, discover

    known = [unit.slug for unit in discover(cause)]
    if slug not in known:
        hint = did_you_mean(slug, known, "`outlive explain` lists the causes.")
        raise UsageError(f"There is no cause {slug!r}.", hint)


def _say_nothing_fits(filtered: bool) -> None:
    if filtered and run_folders.list_runs():
        print("No recorded run matches; `outlive runs -n 0` lists all.", file=sys.stderr)
    else:
        print(
            f"No runs recorded yet (looked in {visible(run_folders.runs_folder())}).",
            file=sys.stderr,
        )


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
    help="Delete runs started before: 30d, 2w, 2026-11-16.",
)
@click.option(
    "--keep", "most", type=click.IntRange(0), metavar="N", help="Delete all but the newest N runs."
)
@click.option(
    "--max-size",
    "most_bytes",
    callback=size_or_nothing,
    metavar="SIZE",
    help="Delete the oldest runs until the rest takes at most this much, e.g. 200MB.",
)
@click.option(
    "--yes", is_flag=True, help="Actually delete. Without this, only show what would be deleted."
)
def prune(before: float | None, most: int | None, most_bytes: int | None, yes: bool) -> None:
    """Remove recorded runs: those that are older, beyond a number, or beyond a size (any of them, if several are given).

    Without --yes nothing is removed. A run that is still running is never deleted, nor one in whose folder you have put a file of your own.
    Folders that Outlive did not make are not touched. (By itself Outlive keeps the newest 100, and
    at most 500 MB.)
    """
    if before is None and most is None and most_bytes is None:
        raise UsageError(
            "Say which runs to delete.",
            "For example:  outlive runs prune --older-than 30d    outlive runs prune --keep 20",
        )
    from outlive.recorder.store.pruning import all_kept, to_go
    from outlive.recorder.store.removal import remove_run

    kept = all_kept()
    chosen = to_go(kept, before=before, most=most, most_bytes=most_bytes)
    for run in chosen:
        if yes and not remove_run(run.folder):
            raise OutliveError(
                f"{run.folder} could not be deleted.", "Is it still yours, and writable?"
            )
        print(f"{'deleted' if yes else 'would delete'}  {visible(run.name)}  {size(run.bytes)}")
    left = len(kept) - len(chosen)
    freed = size(sum(run.bytes for run in chosen))
    runs = "1 run" if len(chosen) == 1 else f"{len(chosen)} runs"
    if not chosen:
        print(f"Nothing to delete; {left} remain.", file=sys.stderr)
        return
    done = (
        f"Deleted {runs} ({freed}); {left} remain."
        if yes
        else f"Would delete {runs} ({freed}); {left} would remain. Delete with --yes."
    )
    print(done, file=sys.stderr)


@list_.command("export")
@click.argument("name", metavar="RUN", shell_complete=complete_run)
@click.argument("file", type=click.Path(dir_okay=False))
@click.option(
    "--share",
    is_flag=True,
    help="Safe to share: only the masked verdict and page, no record, no source.",
)
def export(name: str, file: str, share: bool) -> None:
    """Write RUN (`last` for the newest) into one FILE that needs nothing else: record, verdict, page, and the source that its lines are in.

    A zip file: a colleague without Outlive opens `verdict.html` in it; with Outlive, `outlive why FILE`, `outlive why FILE --open`
    and `outlive compare FILE RUN` work as if it had been run there. It holds paths, arguments and your source; for strangers
    add --share.
    """
    from outlive.recorder.store.entries import reading_once
    from outlive.recorder.store.pruning import goes_on
    from outlive.report.export import export as write

    folder = run_folders.find_run(name)
    payloads, rings = read_run(folder)
    if goes_on(folder, start_of(payloads), rings):
        raise NothingRecorded(
            f"The run {os.path.basename(folder)} is still running.", "Export it after it has ended."
        )
    with reading_once():
        write(folder, file, share)
    print(f"outlive: wrote {visible(os.path.basename(folder))} to {visible(file)}", file=sys.stderr)


def _print_rows(rows: Sequence[dict[str, Any]]) -> None:
    """A line for each run: cut at the edge of a terminal, whole in a pipe."""
    from rich.cells import cell_len, set_cell_size
    from rich.text import Text

    console = console_on(sys.stdout)
    narrow = console.is_terminal and console.width < WIDTH_FOR_ALL
    now = time.time()
    cells: list[tuple[str, ...]] = [("when", "run", "cause", "command") if narrow else ("when", "run", "ended", "cause", "command")]  # fmt: skip
    for row in rows:
        ended = _briefly(row["ended"])
        how = (row["cause"] or ended,) if narrow else (ended, row["cause"] or "")
        when, run = _day_and_time(row["time"], now), run_folders.last_part(row["run"])
        what = row["notebook"] or short_command(row["words"])
        if row["job"]:
            what = f"[{row['job']} {row['rank'] or '?'}] {what}"
        cells.append((when, run, *map(visible, how), visible(what)))
    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    for cell in cells:
        padded = [set_cell_size(text, width) for text, width in zip(cell, widths, strict=True)]
        line = Text("  ".join(padded).rstrip())
        if console.is_terminal:
            line.truncate(console.width, overflow="ellipsis")
        console.print(line, soft_wrap=True)


def _day_and_time(began: float | None, now: float) -> str:
    """The time of today, the day and time of this year, the day of another year: each 12 columns."""
    if began is None:
        return ""
    then, today = time.localtime(began), time.localtime(now)
    if then[:3] == today[:3]:
        return time.strftime("today  %H:%M", then)
    same_year = then.tm_year == today.tm_year
    return time.strftime("%d %b %H:%M" if same_year else "%d %b %Y", then)


def _briefly(ended: str | None) -> str:
    """How it ended, in the words of the verdict but for what stands beside it."""
    return re.sub(r"^ended by |^still running, but (?=stuck)| \(.*", "", ended or "")


def _summaries() -> Iterator[dict[str, Any]]:
    """Of every run, the newest first."""
    for name in reversed(run_folders.list_runs()):
        yield _summary(name)


def _summary(name: str) -> dict[str, Any]:
    folder = run_folders.folder_of(name)
    payloads, _ = read_run(folder)
    run = start_of(payloads)
    began = run.get("time")
    member = membership_in(run)
    row: dict[str, Any] = {
        "run": name,
        "ended": None,
        "cause": None,
        "command": " ".join(str(word) for word in run.get("command", ())),
        "notebook": notebook_of(payloads) or None,
        "began": time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(began)) if began else None,
        "also": [],
        "folder": run.get("folder"),
        "revision": run.get("revision") or None,
        "job": member.job if member else None,
        "rank": (member.rank or None) if member else None,
        "host": (run.get("host") or {}).get("name") or None,
        "time": began,
        "words": [str(word) for word in run.get("command", ())],
    }
    try:
        verdict = stored_verdict(folder)
    except Exception as error:  # one unreadable verdict must not hide the others
        return row | {"ended": f"unreadable: {error}"}
    row["ended"] = verdict.ending.detail if verdict else _without_verdict(folder, run, payloads)
    if verdict is not None and verdict.cause is not None:
        row["cause"] = verdict.cause.slug
        row["also"] = [finding.slug for finding in verdict.findings[1:]]
    related = run_folders.relatives(folder)
    well = verdict is None or verdict.ending.kind is EndingKind.SUCCESS
    before = "healed by" if well else "tried with"
    for words, key in ((before, "healed_from"), ("tried again with", "tried_again_as")):
        if key in related:
            row[key] = related[key]["run"]
            row["ended"] = f"{row['ended']}; {words} {related[key]['remedy']}"
    return row


def _without_verdict(folder: str, run: dict[str, Any], payloads: list[dict[str, Any]]) -> str:
    """No verdict was stored: nothing happened, or it still goes on, or the supervisor was ended too."""
    end = next((payload for payload in payloads if payload.get("kind") == kinds.END), None)
    if end is not None:
        exit_ = next((it for it in payloads if it.get("kind") == kinds.EXIT), {})
        well = exit_.get("exit_code") == 0
        after = f"after {end.get('at', 0):.1f} s"
        return f"finished {after}" if well else f"ended {after}, not yet analysed"
    if may_run_elsewhere(folder, run):
        return f"running on {run['host']['name']}, or lost with it"
    return "still running" if is_running(run) else "incomplete: Outlive was killed too"
