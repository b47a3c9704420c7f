"""`outlive top`: what runs now."""

from __future__ import annotations

import click

from outlive.cli.complete_names import complete_run


@click.command(short_help="Show running programs: memory, forecast, the hottest line.")
@click.argument("name", metavar="[RUN]", required=False, shell_complete=complete_run)
@click.option(
    "--interval",
    default=1.0,
    show_default=True,
    type=click.FloatRange(0.1, 3600),
    help="Seconds between updates.",
)
@click.option(
    "--once", is_flag=True, help="Print once and exit (default when stdout is not a terminal)."
)
@click.option(
    "--json", "as_json", is_flag=True, help="Print once as JSON, one object per line for each run."
)
def top(name: str | None, interval: float, once: bool, as_json: bool) -> None:
    """Watch the programs that were started with `outlive run` on this machine, or one of them.

    Shows memory against the limit that will be hit first (a cgroup's, else the machine's) and when that will be at the present rate, the line seen most often in the last ten seconds, what holds memory, the stages of the pipelines,
    and what the recorder has noticed so far (the brake, lost errors, dead workers, signals, a hang). The run that will run out of memory first
    is on top. It only reads the records and does not touch the programs. q or Ctrl-C quits. For one run, in its own terminal:
    outlive run --live.
    """
    from outlive.cli.live import watch

    watch(name, interval, once, as_json)
