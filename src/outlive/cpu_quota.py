"""How many processors a control group really gives, whatever the machine has.

Also loaded inside a program whose pipelines are to be bounded, by any CPython from 3.9 on: its own imports are relative.
"""

from __future__ import annotations

from .host import Host, whole


class Quota:
    """A share of the processors' time, in processors."""

    __slots__ = ("cpus", "source")

    def __init__(self, cpus: float, source: str) -> None:
        self.cpus = cpus
        self.source = source  #: the file that says so


def smallest_quota(host: Host) -> Quota | None:
    """The smallest quota of every ancestor control group; ``None`` where there is none."""
    quotas: list[tuple[float, str]] = []
    for group in host.groups("cpu"):
        if group.version == 1:
            source = f"{group.path}/cpu.cfs_quota_us"
            quota = host.number(source)  # -1, "no quota", is not a whole number
            period = host.number(f"{group.path}/cpu.cfs_period_us")
        else:
            source = f"{group.path}/cpu.max"
            quota, period = [*map(whole, (host.read(source) or "").split()), None, None][:2]
        if quota and period:
            quotas.append((quota / period, source))
    return Quota(*min(quotas)) if quotas else None
