"""`outlive top`: what runs now."""

from __future__ import annotations

import click

from outlive.commands.completing import complete_run


@click.command(short_help="What runs now: memory, forecast, the hottest line.")
@click.argument("name", metavar="[RUN]", required=False, shell_complete=complete_run)
@click.option(
    "--interval",
    default=1.0,
    show_default=True,
    type=click.FloatRange(0.1, 3600),
    help="Seconds between looks.",
)
@click.option(
    "--once", is_flag=True, help="Look once (also what happens when stdout is no terminal)."
)
@click.option("--json", "as_json", is_flag=True, help="Look once; one JSON object a run and line.")
def top(name: str | None, interval: float, once: bool, as_json: bool) -> None:
    """Watch the programs that were started with `outlive run` on this machine, or one of them.

    Memory against the limit that will end it first (a control group's, else the machine's), when that is reached if memory goes on
    rising as it does now, the line that was seen most often in the last ten seconds, what holds memory, the stages of its pipelines,
    and what the recorder has noticed so far (the brake, lost errors, dead workers, signals, a standstill). The run that will end first
    is on top. It only reads the records: the programs do not notice. q or Ctrl-C ends it. For one run, in its own terminal:
    outlive run --live.
    """
    from outlive.watching import watch

    watch(name, interval, once, as_json)
