"""`outlive runs`: what was recorded."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from typing import Any

import click

from outlive.record import runs
from outlive.record.reading import is_running, read_run, start_of
from outlive.report.text import visible
from outlive.showing import console_on
from outlive.stored import stored_verdict


@click.command("runs", short_help="List the recorded runs.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
@click.option(
    "-n", "count", default=20, show_default=True, help="How many, the newest first. 0 for all."
)
def list_(as_json: bool, count: int) -> None:
    """List the recorded runs, the newest first: when, how it ended, why, what was run."""
    names = list(reversed(runs.list_runs()))
    rows = [_summary(name) for name in (names[:count] if count else names)]
    if as_json:
        for row in rows:
            print(json.dumps(row))
        return
    if not rows:
        print(f"Nothing has been recorded yet (looked in {runs.runs_folder()}).", file=sys.stderr)
        return
    _print_rows(rows)


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


def _summary(name: str) -> dict[str, Any]:
    folder = runs.folder_of(name)
    payloads, _ = read_run(folder)
    run = start_of(payloads)
    try:
        verdict = stored_verdict(folder)
    except Exception as error:  # one unreadable verdict must not hide the others
        return {
            "run": name,
            "ended": f"unreadable: {error}",
            "cause": None,
            "command": None,
            "began": None,
        }
    began = run.get("time")
    return {
        "run": name,
        "ended": verdict.ending.detail if verdict else _without_verdict(run, payloads),
        "cause": verdict.cause.slug if verdict and verdict.cause else None,
        "command": " ".join(str(word) for word in run.get("command", ())),
        "began": time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(began)) if began else None,
    }


def _without_verdict(run: dict[str, Any], payloads: list[dict[str, Any]]) -> str:
    """No verdict was stored: nothing happened, or it still goes on, or the supervisor was ended too."""
    end = next((payload for payload in payloads if payload.get("kind") == "end"), None)
    if end is not None:
        return f"finished after {end.get('at', 0):.1f} s"
    return "still running" if is_running(run) else "not sealed: the supervisor was ended too"
