"""What is said of a fault that was met more than once: "third time this week, first after commit X, 4 hosts". Pure."""

from __future__ import annotations

import time
from collections.abc import Sequence

from outlive.report.fleet.groups import Group

ORDINALS = (
    "",
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
)

#: So much of a revision is enough to find it.
SHORT = 10


def title(groups: Sequence[Group], runs: int) -> str:
    """What a page or a list of faults begins with."""
    failed = sum(group.times for group in groups)
    faults = f"{len(groups)} fault{'' if len(groups) == 1 else 's'}"
    return f"{faults} in {failed} of {runs} run{'' if runs == 1 else 's'}"


def history(group: Group, now: float) -> str:
    """How often, since when, since which commit, on how many hosts."""
    return " · ".join(
        filter(None, (_times(group), _since(group, now), _commit(group), _where(group)))
    )


def _times(group: Group) -> str:
    if group.times == 1:
        return "met once"
    week = group.this_week
    if not week:
        return f"{group.times} times, not this week"
    this = f"{ORDINALS[week]} time this week" if week < len(ORDINALS) else f"{week} times this week"
    return this if week == group.times else f"{this}, {group.times} in all"


def _since(group: Group, now: float) -> str:
    if not group.first:
        return ""
    form = "%d %b %H:%M" if now - group.first < 300 * 86_400 else "%d %b %Y"
    return f"since {time.strftime(form, time.localtime(group.first))}"


def _commit(group: Group) -> str:
    """The commit at which it was met first; what came before is known only where the program ran before."""
    if not group.revision:
        return ""
    at = group.revision[:SHORT]
    if group.runs_before and group.before and group.before != group.revision:
        return f"first at commit {at}, not in {group.runs_before} earlier runs (the last at {group.before[:SHORT]})"
    return f"first at commit {at}"


def _where(group: Group) -> str:
    hosts = f"{group.hosts} hosts" if group.hosts > 1 else ""
    jobs = f"{group.jobs} jobs of many ranks" if group.jobs > 1 else ""
    return ", ".join(filter(None, (hosts, jobs)))
