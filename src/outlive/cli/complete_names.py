"""What the shell completes: runs, causes, checks, rules, remedies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from outlive.recorder.store import run_folders

if TYPE_CHECKING:  # whoever completes a run, or only names this module, needs no unit
    from outlive.units.unit import AnyUnit


def complete_run(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """List the recorded runs that begin with what was typed, the newest first."""
    return [name for name in reversed(run_folders.list_runs()) if name.startswith(incomplete)]


def all_units() -> list[AnyUnit]:
    """Everything that has a manual page."""
    from outlive.units.unit import KINDS, discover

    return [unit for kind in KINDS for unit in discover(kind)]


def complete_unit(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Everything that has a manual page."""
    return [unit.slug for unit in all_units() if unit.slug.startswith(incomplete)]


def complete_check(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str]:
    """Checks of the doctor."""
    from outlive.units.unit import check, discover

    return [unit.slug for unit in discover(check) if unit.slug.startswith(incomplete)]
