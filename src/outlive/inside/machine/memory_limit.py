"""The memory that a process can really have: the smallest of everything that bounds it. One function for the whole product.

Also loaded inside a program whose pipelines are to be bounded, by any CPython from 3.9 on: its own imports are relative.
"""

from __future__ import annotations

from dataclasses import dataclass

from .host import GroupFolder, Host

#: Resource limits that bound memory, by the names of ``/proc/PID/limits``.
RESOURCE_LIMITS = ("Max address space", "Max data size")


@dataclass(frozen=True)
class Bound:
    """One thing that bounds memory."""

    bytes: int
    source: str  #: the file that says so
    resident: bool = True  #: bounds what is touched; otherwise what is mapped, touched or not
    used_bytes: int | None = None  #: of this bound, without file cache that can go


@dataclass(frozen=True)
class Limit:
    """Everything that bounds the memory of a process, the tightest first."""

    bounds: tuple[Bound, ...]

    @property
    def tightest(self) -> Bound | None:
        """The bound that is met first, or ``None`` where nothing could be read."""
        return self.bounds[0] if self.bounds else None

    @property
    def bytes(self) -> int | None:
        """How much may be used in all."""
        return self.bounds[0].bytes if self.bounds else None

    @property
    def source(self) -> str:
        """The file that says so; empty where nothing could be read."""
        return self.bounds[0].source if self.bounds else ""

    @property
    def used_bytes(self) -> int | None:
        """How much of the tightest bound is used, by everybody whom it bounds, without file cache that can go."""
        return self.bounds[0].used_bytes if self.bounds else None

    @property
    def left_bytes(self) -> int | None:
        """How much may be used beyond what is used now, as the fullest of the bounds allows."""
        room = [
            max(0, bound.bytes - bound.used_bytes)
            for bound in self.bounds
            if bound.used_bytes is not None
        ]
        return min(room) if room else None


def limit() -> Limit:
    """How much memory this process can have, how much of it is used, how much is left, and which file says so.

    >>> import outlive
    >>> outlive.limit().left_bytes
    """
    return effective_limit(Host())


def effective_limit(host: Host, pid: int | str = "self") -> Limit:
    """The cgroups of a process (each ancestor, v1 and v2, ``memory.high`` too), its resource limits, and the machine."""
    bounds = [bound for group in host.memory_groups(pid) for bound in _of_group(host, group)]
    status = host.table(f"/proc/{pid}/status")
    for name in RESOURCE_LIMITS:
        soft = host.limits(pid).get(name, (None, None))[0]
        if soft is not None:
            used = status.get("VmSize" if name == "Max address space" else "VmData")
            bounds.append(Bound(soft, f"/proc/{pid}/limits: {name}", False, used))
    total, available = host.memory()
    if total is not None:
        used = total - available if available is not None else None
        bounds.append(Bound(total, "/proc/meminfo: MemTotal", True, used))
    return Limit(tuple(sorted(bounds, key=lambda bound: bound.bytes)))


def _of_group(host: Host, group: GroupFolder) -> list[Bound]:
    reading = host.read_group(group)
    used = reading.used_bytes
    if used is not None:
        used = max(0, used - host.group_cache(group))
    name = "memory.limit_in_bytes" if group.version == 1 else "memory.max"
    found = []
    if reading.limit_bytes is not None:
        found.append(Bound(reading.limit_bytes, f"{group.path}/{name}", True, used))
    high = host.number(f"{group.path}/memory.high") if group.version == 2 else None
    if high is not None:
        found.append(Bound(high, f"{group.path}/memory.high", True, used))
    return found
