"""`outlive compare`: two runs side by side."""

from __future__ import annotations

import contextlib
import sys

import click

from outlive.commands.completing import complete_run


@click.command(short_help="What changed between two runs?")
@click.argument("first", metavar="A", shell_complete=complete_run)
@click.argument("second", metavar="B", required=False, shell_complete=complete_run)
@click.option(
    "--json", "as_json", is_flag=True, help="Every value of both, and whether it differs."
)
def compare(first: str, second: str | None, as_json: bool) -> None:
    """Compare the runs A and B; without B, A with the last run.

    The ending, the cause and its line; the curve of the memory (both at one scale), its peak, how fast it rose, its limit, the time
    taken; the command, the folder, the revision that git has checked out; Python, the variables that change TensorFlow, and every
    package whose version differs. A and B are names from `outlive runs`, their beginnings, folders, or files made by
    `outlive runs export`.

    Exit status: 0 nothing but measured figures differs, 1 something does, 2 there is no such run.
    """
    from outlive.comparing import show_comparison, told
    from outlive.record.archive import run_folder

    with contextlib.ExitStack() as opened:
        before, after = (told(opened.enter_context(run_folder(name))) for name in (first, second))
    sys.exit(1 if show_comparison(before, after, as_json) else 0)
