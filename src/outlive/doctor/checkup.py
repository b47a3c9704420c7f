"""Ask every check, keep its answers: surroundings in, checkup out. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from outlive.model.findings import Checked, Checkup, UnitFailure
from outlive.model.surroundings import Surroundings
from outlive.units.unit import Unit, check, discover

#: What a check may need: units that need a cluster are asked only when one was looked at; the others say what has to be looked at.
CLUSTER, PYTHON, IMPORTS = "cluster", "python", "imports"


def check_up(here: Surroundings, checks: Sequence[Unit[Surroundings]] | None = None) -> Checkup:
    """Ask the checks. One that breaks is reported and hides nobody else's answer."""
    units = checks if checks is not None else discover(check)
    checked: list[Checked] = []
    failures: list[UnitFailure] = []
    for unit in sorted(units, key=lambda unit: unit.code):
        if CLUSTER in unit.needs and here.cluster is None:
            continue
        try:
            findings = tuple(replace(finding, slug=unit.slug) for finding in unit.ask(here))
        except Exception as error:
            failures.append(UnitFailure(unit.slug, f"{type(error).__name__}: {error}"))
            continue
        checked.append(Checked(unit.slug, unit.code, findings))
    return Checkup(tuple(checked), tuple(failures))
