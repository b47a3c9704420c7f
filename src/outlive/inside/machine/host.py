"""View: this machine, read through a root that can be replaced.

Imported before the program starts: plain classes, nothing but ``os``. Every reading returns ``None`` when it cannot be had: an unreadable counter is not a zero. Tests build machines out of files
and give their folder as ``root``.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any

#: v1 writes "no limit" as a number near 2**63, rounded down to pages.
NO_LIMIT_V1 = 1 << 62


class GroupFolder:
    """One cgroup of a process: its own, or an ancestor's."""

    __slots__ = ("path", "version")

    def __init__(self, path: str, version: int) -> None:
        self.path = path  #: the folder, as seen by this process
        self.version = version


class GroupReading:
    """The counters of a memory cgroup at one moment."""

    __slots__ = ("limit_bytes", "oom_kills", "refusals", "used_bytes")

    def __init__(
        self,
        used_bytes: int | None,
        limit_bytes: int | None,
        oom_kills: int | None,
        refusals: int | None,
    ) -> None:
        self.used_bytes = used_bytes
        self.limit_bytes = limit_bytes
        self.oom_kills = oom_kills
        self.refusals = refusals  #: how often an allocation met the limit

    def as_list(self) -> list[int | None]:
        """The counters in the order in which they are recorded."""
        return [self.used_bytes, self.limit_bytes, self.oom_kills, self.refusals]


class Mount:
    """One line of ``/proc/self/mountinfo``."""

    __slots__ = ("device", "kind", "options", "point", "root")

    def __init__(self, device: str, root: str, point: str, kind: str, options: str) -> None:
        self.device = device
        self.root = root
        self.point = point
        self.kind = kind
        self.options = options


class Host:
    """The machine as a tree of files."""

    def __init__(self, root: str = "/") -> None:
        self.root = root.rstrip("/")

    def read(self, path: str, limit: int = 1 << 16) -> str | None:
        """The beginning of a text file, or ``None``."""
        try:
            handle = os.open(self.root + path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        except OSError:
            return None
        try:
            return os.read(handle, limit).decode("utf-8", "replace")
        except OSError:
            return None
        finally:
            os.close(handle)

    def number(self, path: str) -> int | None:
        """A file that holds one number."""
        return whole((self.read(path, 64) or "").strip())

    def table(self, path: str) -> dict[str, int]:
        """A file of ``name value`` lines, as ``memory.events`` or ``/proc/meminfo``; values in kB are made bytes."""
        found: dict[str, int] = {}
        for line in (self.read(path) or "").splitlines():
            words = line.replace(":", " ").split()
            value = whole(words[1]) if len(words) >= 2 else None
            if value is not None:
                found[words[0]] = value * (1024 if words[2:] == ["kB"] else 1)
        return found

    def mounts(self) -> tuple[Mount, ...]:
        """Read the mounts that this process sees."""
        found = []
        for line in (self.read("/proc/self/mountinfo", 1 << 20) or "").splitlines():
            front, _, back = line.partition(" - ")
            words, tail = front.split(), back.split()
            if len(words) >= 5 and len(tail) >= 3:
                found.append(
                    Mount(words[2], _unescape(words[3]), _unescape(words[4]), tail[0], tail[2])
                )
        return tuple(found)

    def memory_groups(self, pid: int | str = "self") -> tuple[GroupFolder, ...]:
        """The memory cgroups of a process, its own first, then every ancestor up to the mount."""
        return self.groups("memory", pid)

    def task_groups(self, pid: int | str = "self") -> list[list[Any]]:
        """The cgroups above a process that limit processes and threads: path, limit, in use, times refused."""
        found = [
            [group.path, *self.read_task_group(group.path)] for group in self.groups("pids", pid)
        ]
        return [group for group in found if group[1] is not None]

    def read_task_group(self, path: str) -> list[int | None]:
        """Limit, in use, and times refused of a cgroup for processes and threads."""
        return [
            self.number(f"{path}/pids.max"),
            self.number(f"{path}/pids.current"),
            self.table(f"{path}/pids.events").get("max"),
        ]

    def groups(self, controller: str, pid: int | str = "self") -> tuple[GroupFolder, ...]:
        """The same for any controller: ``cpu``, ``pids``."""
        listing = self.read(f"/proc/{pid}/cgroup")
        if listing is None:
            return ()
        mounts = self.mounts()
        for line in listing.splitlines():
            _, controllers, path = [*line.split(":", 2), "", ""][:3]
            if controller in controllers.split(","):
                return self._ancestors(path, mounts, 1, controller)
        for line in listing.splitlines():
            if line.startswith("0::"):
                return self._ancestors(line[3:], mounts, 2, controller)
        return ()

    def _ancestors(
        self, path: str, mounts: tuple[Mount, ...], version: int, controller: str
    ) -> tuple[GroupFolder, ...]:
        for mount in mounts:
            if version == 1:
                fits = mount.kind == "cgroup" and controller in mount.options.split(",")
            else:
                fits = mount.kind == "cgroup2"
            if not fits:
                continue
            inside = path
            if mount.root != "/" and f"{path}/".startswith(f"{mount.root}/"):
                inside = path[len(mount.root) :]
            steps = [step for step in inside.split("/") if step]
            if ".." in steps:
                return ()  # outside of this cgroup namespace: nothing here is above it
            folders = [
                "/".join([mount.point.rstrip("/"), *steps[:depth]])
                for depth in range(len(steps), -1, -1)
            ]
            return tuple(
                GroupFolder(folder, version)
                for folder in folders
                if os.path.isdir(self.root + folder)
            )
        return ()

    def read_group(self, group: GroupFolder) -> GroupReading:
        """The counters of a cgroup now."""
        if group.version == 1:
            limit = self.number(f"{group.path}/memory.limit_in_bytes")
            return GroupReading(
                self.number(f"{group.path}/memory.usage_in_bytes"),
                limit if limit is not None and limit < NO_LIMIT_V1 else None,
                self.table(f"{group.path}/memory.oom_control").get("oom_kill"),
                self.number(f"{group.path}/memory.failcnt"),
            )
        local = self.table(f"{group.path}/memory.events.local")
        events = local or self.table(f"{group.path}/memory.events")
        return GroupReading(
            self.number(f"{group.path}/memory.current"),
            self.number(f"{group.path}/memory.max"),
            events.get("oom_kill"),
            events.get("max"),
        )

    def group_cache(self, group: GroupFolder) -> int:
        """Bytes of file cache in a cgroup: they count as used, and are the first to go."""
        table = self.table(f"{group.path}/memory.stat")
        prefix = "total_" if group.version == 1 else ""
        return sum(table.get(f"{prefix}{name}_file", 0) for name in ("inactive", "active"))

    def group_members(self, group: GroupFolder) -> frozenset[int] | None:
        """The processes directly in a cgroup."""
        listing = self.read(f"{group.path}/cgroup.procs")
        if listing is None:
            return None
        return frozenset(pid for word in listing.split() if (pid := whole(word)) is not None)

    def machine_oom_kills(self) -> int | None:
        """Count the processes that Linux has killed since boot because memory ran out, on the whole machine."""
        return self.table("/proc/vmstat").get("oom_kill")

    def memory(self) -> tuple[int | None, int | None]:
        """Total and available bytes of the machine."""
        table = self.table("/proc/meminfo")
        return table.get("MemTotal"), table.get("MemAvailable")

    def limits(self, pid: int | str = "self") -> dict[str, tuple[int | None, int | None]]:
        """Resource limits of a process by name: soft and hard, ``None`` for unlimited."""
        found: dict[str, tuple[int | None, int | None]] = {}
        for line in (self.read(f"/proc/{pid}/limits") or "").splitlines()[1:]:
            name, rest = line[:25].strip(), line[25:].split()
            if len(rest) >= 2:
                found[name] = (whole(rest[0]), whole(rest[1]))
        return found

    def pressure(self) -> float | None:
        """Share of the last ten seconds in which some task waited for memory (PSI), in per cent."""
        for line in (self.read("/proc/pressure/memory") or "").splitlines():
            if line.startswith("some"):
                for word in line.split():
                    front, _, back = word.removeprefix("avg10=").partition(".")
                    if word.startswith("avg10=") and whole(front + back) is not None:
                        return float(f"{front}.{back}")
        return None

    def filesystem_of(self, path: str) -> Mount | None:
        """The mount that a path lies on."""
        try:
            device = os.stat(self.root + path).st_dev
        except OSError:
            return None
        name = f"{os.major(device)}:{os.minor(device)}"
        fitting = [mount for mount in self.mounts() if mount.device == name]
        there = os.path.realpath(self.root + path)[len(self.root) :]
        above = [it for it in fitting if f"{there}/".startswith(f"{it.point.rstrip('/')}/")]
        fitting = above or fitting  # the same device may be mounted in several places
        return max(fitting, key=lambda mount: len(mount.point), default=None)


def whole(text: str) -> int | None:
    """A plain number of at most 64 bits, as the kernel writes them; ``None`` for anything else."""
    return int(text) if len(text) <= 20 and text.isascii() and text.isdigit() else None


def _unescape(text: str) -> str:
    """Mount points write space, tab, newline and backslash as octal."""
    for octal, plain in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        text = text.replace(octal, plain)
    return text
