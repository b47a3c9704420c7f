"""`outlive fix` on a terminal: the diff in colours, what was verified, and what to type next."""

from __future__ import annotations

import os
from typing import Any

from outlive.keep.fix.outcome import Outcome, Tried
from outlive.report.text import visible

COLOURS = {"+": "green", "-": "red", "@": "cyan"}


def show(outcome: Outcome, console: Any, *, name: str) -> None:
    """Print an outcome."""
    cause, best = outcome.cause, outcome.best
    if cause is None:
        console.print("outlive: nothing to fix: no cause is known.", soft_wrap=True)
        return
    console.print(f"outlive: {visible(cause.says)}  ({cause.slug})", soft_wrap=True)
    if best is None:
        _without_a_patch(outcome, console)
        return
    console.print()
    for line in best.proposal.diff.splitlines():
        console.print(visible(line), style=COLOURS.get(line[:1], ""), soft_wrap=True)
    console.print()
    _told(best, console)
    for other in outcome.tried:
        if other is not best:
            console.print(
                f"  Also tried  {other.proposal.slug}: {visible(other.says)}.",
                style="dim",
                soft_wrap=True,
            )
    for note in outcome.notes:
        console.print(f"  Note      {visible(note)}", style="dim", soft_wrap=True)
    if outcome.applied:
        console.print(
            f"  Applied   {visible(os.path.relpath(outcome.applied))}; the file as it was: {visible(os.path.relpath(outcome.backup))}",
            soft_wrap=True,
        )
    elif best.works:
        console.print(
            f"  Apply it  outlive fix {name} --apply".replace("  --", " --"),
            style="bold",
            soft_wrap=True,
        )


def _told(best: Tried, console: Any) -> None:
    patch = best.proposal.patch
    console.print(f"  Change    {visible(patch.says)}", soft_wrap=True)
    said = best.says
    console.print(
        f"  {said[0].upper()}{visible(said[1:])}.",
        style="green" if best.works else "yellow",
        soft_wrap=True,
    )
    if patch.results:
        console.print(f"  Results   {visible(patch.results)}", style="yellow", soft_wrap=True)
    else:
        console.print("  Results   They stay the same.", style="dim", soft_wrap=True)


def _without_a_patch(outcome: Outcome, console: Any) -> None:
    for reason in outcome.reasons:
        console.print(f"  No patch  {visible(reason)}.", style="yellow", soft_wrap=True)
    if not outcome.reasons:
        console.print(
            "  No patch  There is no fix for this cause that can be made in the source.",
            style="yellow",
            soft_wrap=True,
        )
    for remedy in outcome.cause.remedies if outcome.cause else ():
        console.print(f"  Fix       {visible(remedy.text)}", style="green", soft_wrap=True)
        for command in remedy.commands:
            console.print(f"            {visible(command)}", style="bold", soft_wrap=True)
