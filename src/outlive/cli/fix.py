"""`outlive fix`: the remedy of a verdict as a patch, run again before it is offered."""

from __future__ import annotations

import click

from outlive.cli.complete_names import complete_run


@click.command(
    short_help="Patch the code that the last run (or RUN) died of, and verify the patch."
)
@click.argument("name", metavar="[RUN]", required=False, shell_complete=complete_run)
@click.option(
    "--apply",
    "write",
    is_flag=True,
    help="Write the patch into the file; a backup is kept beside it.",
)
@click.option(
    "--json", "as_data", is_flag=True, help="Print the patch as JSON (schema outlive.fix/1)."
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0.0),
    default=0.0,
    help="How long the patched copy may run. [default: three times the run, 60 to 300]",
)
@click.option(
    "--no-verify", is_flag=True, help="Do not run the patched copy; show the patch unverified."
)
@click.option(
    "--force", is_flag=True, help="With --apply: also when the file has uncommitted changes."
)
@click.option(
    "--command",
    default="",
    metavar="COMMAND",
    help="Run this instead of the recorded command, e.g. where a part of it is hidden in the record.",
)
@click.pass_context
def fix(
    context: click.Context,
    /,
    name: str | None,
    write: bool,
    as_data: bool,
    seconds: float,
    no_verify: bool,
    force: bool,
    command: str,
) -> None:
    """Make the remedy of a verdict as a patch of your code, and show it as a diff.

    The patched copy is run again, in a private copy of the folder and under the same limits, until it has passed the
    point of death or --seconds have passed; the diff says "verified: …" or "not verified, because …". A patch that
    changes results says how.

    \b
      outlive fix                  show and verify the patch for the last run
      outlive fix --apply          … and write it (a backup is kept; uncommitted changes are respected)

    Files that the program writes by relative names land in the copy. Large data is linked, not copied. Files that it
    writes by absolute names, or over a network, are written again.

    Exit status: 0 the patch is verified (or applied), 1 there is none or it is not verified, 2 wrong usage.
    """
    from outlive.keep.fix.command import fix as offer
    from outlive.recorder.store import run_folders

    folder = run_folders.find_run(name)
    context.exit(
        offer(
            folder,
            name or "",
            write=write,
            verify=not no_verify,
            force=force,
            as_data=as_data,
            seconds=seconds,
            command=command,
        )
    )
