"""`outlive doctor`: look around, ask the checks, show the table; mend what is safe to mend."""

from __future__ import annotations

import os
import platform
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence

from outlive.doctor.checkup import CLUSTER, IMPORTS, PYTHON, check_up
from outlive.doctor.cluster.command import ClusterOptions, look_at_cluster, serve
from outlive.doctor.look.everything import look_around
from outlive.errors import UsageError, did_you_mean, did_you_mean_path
from outlive.inside.machine.host import Host
from outlive.model.findings import Checkup
from outlive.model.surroundings import Surroundings
from outlive.report.checkup import checkup_to_json, notes_of, render_checkup
from outlive.report.hooks.annotate_github import annotate
from outlive.report.terminal import console_on
from outlive.units.unit import Unit, check, discover

MEND_SECONDS = 60


def doctor(
    names: Sequence[str],
    *,
    python: str | None = None,
    as_json: bool = False,
    passed: bool = False,
    facts: bool = False,
    fix: bool = False,
    dry_run: bool = False,
    trials: bool = True,
    cluster: bool = False,
    agent: bool = False,
    around: ClusterOptions | None = None,
) -> int:
    """Run the command; returns its exit status."""
    if agent:
        return serve(around or ClusterOptions(), _python(python), os.environ)
    if dry_run and not fix:
        raise UsageError(
            "--dry-run belongs to --fix.", "For example:  outlive doctor --fix --dry-run"
        )
    units = chosen(names)
    if cluster:
        seen = look_at_cluster(around or ClusterOptions(), _python(python), os.environ)
        if seen is None:
            return 0  # the first host of the cluster tells what was found
        of_cluster = [unit for unit in units if CLUSTER in unit.needs]
        return _show(
            check_up(Surroundings(cluster=seen), of_cluster), as_json, passed, facts or bool(names)
        )
    checkup = look(units, python, trials=trials)
    if fix and checkup.safe_commands:
        mend(checkup.safe_commands, dry_run=dry_run)
        if not dry_run:
            checkup = look(units, python, trials=trials)
    elif fix:
        print("Nothing here is safe to fix automatically.", file=sys.stderr)
    return _show(checkup, as_json, passed, facts or bool(names))


def _show(checkup: Checkup, as_json: bool, passed: bool, facts: bool) -> int:
    if as_json:
        print(checkup_to_json(checkup))
    else:
        render_checkup(checkup, console_on(sys.stdout), passed=passed or facts, facts=facts)
    annotate("outlive doctor", notes_of(checkup))
    if checkup.found:
        return 1
    return 3 if checkup.failures else 0


def chosen(names: Sequence[str]) -> tuple[Unit[Surroundings], ...]:
    """The checks of these names or codes; all of them when none is named."""
    units = discover(check)
    if not names:
        return units
    found = []
    for name in names:
        fitting = [unit for unit in units if name in (unit.slug, unit.code)]
        if not fitting:
            known = [unit.slug for unit in units]
            hint = did_you_mean(name, known, "`outlive explain` lists them.")
            raise UsageError(f"There is no check {name!r}.", hint)
        found += fitting
    return tuple(found)


def look(
    units: Sequence[Unit[Surroundings]], python: str | None, *, trials: bool, variables: Mapping[str, str] = os.environ
) -> Checkup:  # fmt: skip
    """Look around and ask."""
    needed = {name for unit in units for name in unit.needs}
    here = look_around(
        Host(),
        _python(python) if PYTHON in needed else None,
        _folder(),
        dict(variables),
        platform.machine(),
        trials=trials and IMPORTS in needed,
    )
    return check_up(here, units)


def _python(named: str | None) -> str:
    """The Python to look at: the named one, or our own."""
    if named is not None:
        found = shutil.which(named)
        if found is None:
            hint = did_you_mean_path(named, "Name its file:  outlive doctor --python PATH")
            raise UsageError(f"There is no Python at {named!r}.", hint)
        return os.path.abspath(found)
    return sys.executable


def _folder() -> str:
    """Where we are; nothing when it has been removed under us."""
    try:
        return os.getcwd()
    except OSError:
        return ""


def mend(commands: Sequence[str], *, dry_run: bool) -> None:
    """Do what is safe, and say so."""
    for command in commands:
        print(f"{'would run' if dry_run else 'running'}: {command}", file=sys.stderr)
        if not dry_run:
            subprocess.run(shlex.split(command), timeout=MEND_SECONDS, check=False)
