"""What the shell completes: runs, causes, checks, rules."""

from __future__ import annotations

from typing import Any

import click

from outlive.record import runs
from outlive.unit import KINDS, Unit, check, discover


def complete_run(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Names of runs."""
    return [name for name in reversed(runs.list_runs()) if name.startswith(incomplete)]


def all_units() -> list[Unit[Any]]:
    """Everything that has a manual page."""
    return [unit for kind in KINDS for unit in discover(kind)]


def complete_unit(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Everything that has a manual page."""
    return [unit.slug for unit in all_units() if unit.slug.startswith(incomplete)]


def complete_check(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[str]:
    """Checks of the doctor."""
    return [unit.slug for unit in discover(check) if unit.slug.startswith(incomplete)]
