"""The process that sent a signal: its user's name, its parents. Read at once, before it is gone."""

from __future__ import annotations

from outlive.inside.machine.host import Host
from outlive.recorder.sampler import process_stat

#: As many as the shim keeps: from ``kill`` in a shell in tmux in an SSH login up to the first process.
MOST_ANCESTORS = 12


def user_name(uid: int) -> str:
    """The name of a user, where it has one."""
    import pwd

    try:
        return pwd.getpwuid(uid).pw_name
    except (KeyError, OverflowError):
        return ""


def ancestors_of(host: Host, pid: int) -> list[str]:
    """The names of the parents of a process, nearest first."""
    found: list[str] = []
    stat = process_stat(host, pid)
    while stat is not None and stat.parent > 0 and len(found) < MOST_ANCESTORS:
        stat = process_stat(host, stat.parent)
        if stat is not None:
            found.append(stat.name)
    return found
