"""The command that is run when a program has died: for a chat, a mail, a scheduler.

It gets the verdict as JSON on its stdin, masked as for a stranger, since nobody knows where it sends it. It may take a while, and no
longer: a hook that hangs must not keep a job's slot. Whatever it does, the program's exit status stays what it was.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from outlive.inside.notes.masking import mask_text
from outlive.model.findings import EndedBy, Ending, EndingKind, Verdict
from outlive.model.verdict_json import to_json
from outlive.report.hooks.run_hook import HookFailed, run_hook
from outlive.report.share import Stranger
from outlive.report.terminal import names_to_hide

SECONDS = 30.0


def tell_of_a_death(
    command: str,
    verdict: Verdict,
    complain: Callable[[str], object],
    variables: Mapping[str, str] = os.environ,
    seconds: float = SECONDS,
) -> None:
    """Run the command, if this was a death."""
    if verdict.ending.kind is not EndingKind.SUCCESS:
        tell(command, verdict, complain, "on-death", variables, seconds)


def tell(
    command: str,
    verdict: Verdict,
    complain: Callable[[str], object],
    name: str,
    variables: Mapping[str, str] = os.environ,
    seconds: float = SECONDS,
) -> None:
    """Run the command with the verdict; complain, never raise, when it fails or takes too long."""
    told = to_json(Stranger(mask_text, names_to_hide()).verdict(verdict)) + "\n"
    environment = {**variables, "OUTLIVE_RUN": verdict.run}
    environment.pop("OUTLIVE_ON_DEATH", None)  # a hook that runs Outlive is not told of its own
    try:
        run_hook(["/bin/sh", "-c", command], told.encode(), environment, seconds)
    except HookFailed as error:
        complain(f"outlive: the {name} command {error.message}.")


def ended_well(run: str, detail: str) -> Verdict:
    """The verdict on a run in which nothing happened."""
    return Verdict(run, Ending(EndingKind.SUCCESS, exit_code=0, by=EndedBy.ITSELF, detail=detail))
