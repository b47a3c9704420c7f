"""`outlive runs --group`, `--html`, `--parquet`: what many runs, of many hosts, died of."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from outlive.cli.many_runs.job import write_page_file
from outlive.report.fleet.groups import Group, groups
from outlive.report.fleet.table import fleet, places_or_home, write_parquet
from outlive.report.fleet.words import history, title
from outlive.report.terminal import console_on
from outlive.report.text import visible

if TYPE_CHECKING:
    from rich.table import Table


def tell_of_a_fleet(
    places: Sequence[str],
    *,
    since: float | None,
    count: int,
    as_json: bool,
    page: str | None,
    parquet: str | None,
) -> None:
    """Show the faults of all runs below these places: as a list, as JSON, as a page; or hand the rows on."""
    table = fleet(places_or_home(places))
    now = time.time()
    if parquet:
        write_parquet(table, parquet)
        print(f"outlive: wrote {table.num_rows} runs to {visible(parquet)}", file=sys.stderr)
    found = groups(table, now, since)
    if page:
        _write_page(found, table.num_rows, now, page)
    if as_json:
        for group in found[: count or None]:
            print(json.dumps(group.as_data()))
    elif not page and not parquet:
        _print(found, table.num_rows, now, count)


def _write_page(found: Sequence[Group], runs: int, now: float, target: str) -> None:
    from outlive.report.fleet.page import fleet_page

    text = fleet_page(found, runs, now)
    if target == "-":
        print(text, end="")
    else:
        write_page_file(target, text)


def _print(found: Sequence[Group], runs: int, now: float, count: int) -> None:
    console = console_on(sys.stdout)
    shown = found[: count or None]
    with console.capture() as captured:
        console.print(f"outlive: {title(found, runs)}")
        for group in shown:
            console.print(_row(group, now))
        if len(found) > len(shown):
            console.print(f"  {len(found) - len(shown)} more: -n 0")
    print("\n".join(line.rstrip() for line in captured.get().splitlines()))


def _row(group: Group, now: float) -> Table:
    from rich.table import Table
    from rich.text import Text

    row = Table.grid(padding=(0, 2))
    row.add_column(justify="right", no_wrap=True, min_width=6)
    row.add_column(overflow="fold")
    inside = f" in {group.function}" if group.function and group.function != "<module>" else ""
    at = f"{group.file}:{group.line}{inside}" if group.file else group.program
    told = Text(visible(f"{group.cause or 'cause unknown'}  {at}"), "bold")
    told.append(f"\n{visible(group.code or group.says)}", "not bold")
    told.append(f"\n{visible(history(group, now))}", "not bold dim")
    row.add_row(Text(f"{group.times} ×", "bold"), told)
    return row
