"""How many processors a cgroup really gives, whatever the machine has.

Also loaded inside a program whose pipelines are to be bounded, by any CPython from 3.9 on: its own imports are relative.
"""

from __future__ import annotations

from .host import GroupFolder, Host, whole


class Quota:
    """A share of the processors' time, in processors."""

    __slots__ = ("cpus", "source")

    def __init__(self, cpus: float, source: str) -> None:
        self.cpus = cpus
        self.source = source  #: the file that says so


def smallest_quota(host: Host) -> Quota | None:
    """The smallest quota of every ancestor cgroup; ``None`` where there is none."""
    found = [_quota(host, group) for group in host.groups("cpu")]
    quotas = [(quota.cpus, quota.source) for quota in found if quota is not None]
    return Quota(*min(quotas)) if quotas else None


def _quota(host: Host, group: GroupFolder) -> Quota | None:
    if group.version == 1:
        source = f"{group.path}/cpu.cfs_quota_us"
        quota = host.number(source)  # -1, "no quota", is not a whole number
        period = host.number(f"{group.path}/cpu.cfs_period_us")
    else:
        source = f"{group.path}/cpu.max"
        quota, period = [*map(whole, (host.read(source) or "").split()), None, None][:2]
    return Quota(quota / period, source) if quota and period else None


def throttled_groups(host: Host, pid: int | str = "self") -> list[tuple[str, int, int, int, int]]:
    """The cgroups above a process that limit its time on the processors, with the counters of their limit until now.

    Each is its path, the quota in thousandths of a processor, the periods in which it ran, those in which it was held back, and for how many
    milliseconds its threads were.
    """
    found: list[tuple[str, int, int, int, int]] = []
    for group in host.groups("cpu", pid):
        quota = _quota(host, group)
        if quota is None:
            continue
        counters = host.table(f"{group.path}/cpu.stat")
        held_ns, held_us = counters.get("throttled_time"), counters.get("throttled_usec")
        held = held_us // 1000 if held_us is not None else (held_ns or 0) // 1_000_000
        periods, times = counters.get("nr_periods"), counters.get("nr_throttled")
        if periods is not None and times is not None:
            found.append((group.path, round(quota.cpus * 1000), periods, times, held))
    return found
