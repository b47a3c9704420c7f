"""`outlive doctor`: will TensorFlow live on this machine?"""

from __future__ import annotations

import sys
from typing import Any

import click

from outlive.cli.complete_names import complete_check


@click.command(short_help="Check whether TensorFlow will run on this machine.")
@click.argument("checks", nargs=-1, shell_complete=complete_check)
@click.option(
    "--python", metavar="PATH", help="The Python to check (default: the one that runs Outlive)."
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON (schema outlive.checkup/1).")
@click.option("--verbose", "-v", "passed", is_flag=True, help="Also list the passed checks.")
@click.option("--facts", is_flag=True, help="Also list the passed checks with facts and sources.")
@click.option(
    "--no-import",
    is_flag=True,
    help="Import nothing, not even in a child process (faster, checks less).",
)
@click.option("--fix", is_flag=True, help="Fix what is safe to fix, and check again.")
@click.option("--dry-run", is_flag=True, help="With --fix: only show what would be done.")
@click.option(
    "--cluster", is_flag=True, help="Check the cluster: names, ports, clocks, links, versions."
)
@click.option(
    "--hosts", metavar="LIST", help="Its tasks, HOST:PORT,… (default: from TF_CONFIG or Slurm)."
)
@click.option("--agent", is_flag=True, help="Run the agent of this host; needs OUTLIVE_TOKEN.")
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
    help="Stop the agent after this many seconds.",
)
@click.option(
    "--wait",
    type=click.FloatRange(0, 600),
    default=30,
    show_default=True,
    help="How long to wait for agents.",
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
    """Check whether TensorFlow will run on this machine: CPU, memory, disk, limits, installation. With CHECKS, run only these.

    When all is well, one line; otherwise what is wrong, and how to fix it. Libraries are imported in a child process, which may
    crash. Nothing is changed without --fix.

    For a cluster, start an agent on each host with your own launcher, then run the check on one of them:

    \b
      OUTLIVE_TOKEN=SECRET outlive doctor --agent
      OUTLIVE_TOKEN=SECRET outlive doctor --cluster --hosts a:2222,b:2222
      OUTLIVE_TOKEN=SECRET srun outlive doctor --cluster

    Exit status: 0 nothing found, 1 findings, 2 wrong usage, 3 Outlive failed.
    """
    from outlive.doctor.cluster.command import ClusterOptions
    from outlive.doctor.command import doctor as run_doctor

    around = ClusterOptions(hosts, agent_port, seconds, wait)
    sys.exit(run_doctor(checks, trials=not no_import, around=around, **options))
