"""`outlive doctor`: will TensorFlow live on this machine?"""

from __future__ import annotations

import sys
from typing import Any

import click

from outlive.commands.completing import complete_check


@click.command(short_help="Will TensorFlow live on this machine?")
@click.argument("checks", nargs=-1, shell_complete=complete_check)
@click.option(
    "--python", metavar="PATH", help="The Python to look at, if not the one that runs Outlive."
)
@click.option("--json", "as_json", is_flag=True, help="As JSON (schema outlive.checkup/1).")
@click.option(
    "--facts", is_flag=True, help="Show the facts and their sources for what is fine, too."
)
@click.option(
    "--no-import", is_flag=True, help="Import nothing, not even in a child (faster, tells less)."
)
@click.option("--fix", is_flag=True, help="Mend what is safe to mend, and look again.")
@click.option("--dry-run", is_flag=True, help="With --fix: only say what would be done.")
@click.option(
    "--cluster", is_flag=True, help="Look at the cluster: names, ports, clocks, links, versions."
)
@click.option(
    "--hosts", metavar="LIST", help="Its tasks, HOST:PORT,…; else from TF_CONFIG or Slurm."
)
@click.option("--agent", is_flag=True, help="Be the agent of this host; needs OUTLIVE_TOKEN.")
@click.option(
    "--agent-port",
    type=click.IntRange(1, 65535),
    default=7117,
    show_default=True,
    help="The agents' port.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(1, 3600),
    default=600,
    show_default=True,
    help="An agent lives at most so long.",
)
@click.option(
    "--wait",
    type=click.FloatRange(0, 600),
    default=30,
    show_default=True,
    help="Wait so long for agents.",
)
def doctor(
    checks: tuple[str, ...],
    no_import: bool,
    hosts: str | None,
    agent_port: int,
    seconds: float,
    wait: float,
    **options: Any,
) -> None:
    """Tell whether TensorFlow will live on this machine: processor, memory, disk, limits, installation. With CHECKS, ask only these.

    Everything that touches a library happens in a child that may crash. Nothing is changed without --fix.

    For a cluster, start an agent on each host with your own launcher, then look from one of them:

    \b
      OUTLIVE_TOKEN=SECRET outlive doctor --agent
      OUTLIVE_TOKEN=SECRET outlive doctor --cluster --hosts a:2222,b:2222
      OUTLIVE_TOKEN=SECRET srun outlive doctor --cluster

    Exit status: 0 nothing found, 1 findings, 2 wrong usage, 3 Outlive failed.
    """
    from outlive.clustering import ClusterOptions
    from outlive.doctoring import doctor as run_doctor

    around = ClusterOptions(hosts, agent_port, seconds, wait)
    sys.exit(run_doctor(checks, trials=not no_import, around=around, **options))
