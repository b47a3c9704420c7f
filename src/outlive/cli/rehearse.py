"""`outlive rehearse`: will the whole run live?"""

from __future__ import annotations

import sys
from typing import Any

import click
from click.shell_completion import CompletionItem

from outlive.cli.measures import size_in_bytes
from outlive.cli.run_program.prepare import require_script
from outlive.cli.run_program.request import Options, Request, command_of


@click.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    short_help="Run it for a minute; say whether the whole run will live.",
)
@click.argument(
    "command",
    nargs=-1,
    type=click.UNPROCESSED,
    shell_complete=lambda context, parameter, incomplete: [CompletionItem(incomplete, type="file")],
)
@click.option(
    "--seconds",
    type=click.FloatRange(1, 86400),
    default=60.0,
    show_default=True,
    help="How long to run it.",
)
@click.option(
    "--steps", type=click.IntRange(1), help="Stop after this many steps instead (at most an hour)."
)
@click.option(
    "--in-place",
    is_flag=True,
    help="Let the program write to the working folder. Without this its writes go to an overlay that is removed.",
)
@click.option(
    "--memory",
    metavar="SIZE",
    callback=size_in_bytes,
    help="The memory limit of another machine, e.g. 2GB (default: what is available).",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON (schema outlive.rehearse/1).")
def rehearse(command: tuple[str, ...], **options: Any) -> None:
    """Run a program for a minute, stop it, and say whether the whole run will live.

    \b
      outlive rehearse train.py --epochs 90
      outlive rehearse --seconds 120 --memory 4GB -- python3.12 train.py
      outlive rehearse --steps 200 -m package.train

    It runs for real, with the recorder in it, and is stopped as by Ctrl-C. The answer: peak memory against the limit; growth per step,
    the line and what grows, and the step and hour at which the limit is reached; buffers that are not full yet; what it writes against
    the room on the disk. Steps are counted without asking: batches of Keras, Session.run, dataset elements, else turns of a for loop.

    Exit status: 0 it will live, 1 it will die (or dies if it goes on long enough), 2 wrong usage, 3 it cannot be told.
    """
    from outlive.keep.rehearse.command import rehearse as rehearse_command

    request = Request(command_of(list(command), divided="--" in sys.argv), Options())
    require_script(request.script)
    sys.exit(rehearse_command(request.command, **options))
