"""`outlive compare`: two runs side by side."""

from __future__ import annotations

import contextlib
import json
import sys

import click

from outlive.cli.complete_names import complete_run


@click.command(short_help="What changed between two runs?")
@click.argument("first", metavar="A", shell_complete=complete_run)
@click.argument("second", metavar="B", required=False, shell_complete=complete_run)
@click.option(
    "--json", "as_json", is_flag=True, help="Show every value of both runs, and whether it differs."
)
def compare(first: str, second: str | None, as_json: bool) -> None:
    """Compare the runs A and B; without B, A with the last run.

    The ending, the cause and its line; the curve of the memory (both at one scale), its peak, how fast it rose, its
    limit, the time taken; the command, the folder, the revision that git has checked out; Python, the variables that
    change TensorFlow, and every package whose version differs. A and B are names from `outlive runs`, their beginnings,
    `last`, folders, or files made by `outlive runs export`.

    Exit status: 0 nothing but measured figures differs, 1 something does, 2 there is no such run.
    """
    from outlive.recorder.store.archive import run_folder
    from outlive.report.compare_runs import told
    from outlive.report.comparison import compare as all_differences
    from outlive.report.comparison import differ, to_data, view
    from outlive.report.terminal import console_on

    with contextlib.ExitStack() as opened:
        before, after = (told(opened.enter_context(run_folder(name))) for name in (first, second))
    if as_json:
        print(json.dumps(to_data(before, after)))
    else:
        console = console_on(sys.stdout)
        with console.capture() as captured:
            console.print(view(before, after))
        print("\n".join(line.rstrip() for line in captured.get().splitlines()))
    sys.exit(1 if differ(all_differences(before, after)) else 0)
