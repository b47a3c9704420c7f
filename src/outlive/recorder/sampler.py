"""Read the living program from outside: memory, threads, files, CPU time, cgroups, the machine."""

from __future__ import annotations

import os

from outlive.inside.machine.host import GroupFolder, GroupReading, Host, whole
from outlive.inside.notes import kinds

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
TICKS = os.sysconf("SC_CLK_TCK")

#: Listing thousands of descriptors, walking page tables and asking file systems costs; these are done on every n-th sample.
SLOW_EVERY = 10
TREE_EVERY = 4

#: The children of each thread are listed in a file of its own; with few threads that is cheap on every sample.
FEW_THREADS = 16

#: Below this share of a limit the file cache need not be told from the rest.
WORTH_A_CLOSER_LOOK = 0.6

#: Enough to tell a worker from a stranger in the kernel log.
MAX_FAMILY = 2000

#: Reading PSS walks the page tables: 4 ms per GB here. Above this it is not cheap.
PSS_CHEAP_BYTES = 1_000_000_000

#: Asking a dead network file system how full it is can hang for minutes.
NETWORK_KINDS = ("nfs", "nfs4", "cifs", "smb3", "fuse", "ceph", "lustre", "9p", "afs", "glusterfs")


INITIAL_PID_NAMESPACE = "pid:[4026531836]"


class ProcessStat:
    """Fields of ``/proc/PID/stat`` that matter here."""

    __slots__ = (
        "cpu_seconds",
        "major_faults",
        "name",
        "parent",
        "rss_bytes",
        "started",
        "state",
        "terminal",
        "threads",
        "vm_bytes",
    )

    def __init__(self, text: str) -> None:
        head, _, tail = text.rpartition(")")
        self.name = head.partition("(")[2]
        words = tail.split()
        self.state = words[0]
        self.parent = int(words[1])
        self.terminal = int(words[4])
        self.major_faults = int(words[9])
        self.cpu_seconds = (int(words[11]) + int(words[12])) / TICKS
        self.threads = int(words[17])
        self.started = int(words[19])
        self.vm_bytes = int(words[20])
        self.rss_bytes = int(words[21]) * PAGE_BYTES


def process_stat(host: Host, pid: int) -> ProcessStat | None:
    """The process, or ``None`` when it is gone."""
    text = host.read(f"/proc/{pid}/stat", 1024)
    try:
        return ProcessStat(text) if text else None
    except (IndexError, ValueError):
        return None


def has_own_pid_namespace() -> bool:
    """Whether processes have other numbers here than the kernel writes into its log."""
    try:
        return os.readlink("/proc/self/ns/pid") != INITIAL_PID_NAMESPACE
    except OSError:
        return True


class Sampler:
    """Takes one sample after another of a program and its descendants."""

    def __init__(self, host: Host, pid: int) -> None:
        self._host = host
        self.pid = pid
        self._count = 0
        self._threads = 0
        self._tree: dict[
            int, int
        ] = {}  # pid -> start time, so that a reused number is not mistaken
        self._slow: dict[str, Any] = {}
        self.family: set[int] = set()  # every descendant that was ever seen
        self._disks: dict[str, str] = {}
        self._gpu = _gpu_meter()
        self.groups: tuple[GroupFolder, ...] = host.memory_groups(pid) or host.memory_groups()

    @property
    def tree(self) -> tuple[int, ...]:
        """The descendants that lived when they were last looked for."""
        return tuple(self._tree)

    def sample(self) -> dict[str, Any]:
        """One reading as plain data; what could not be read is not in it."""
        self._count += 1
        slow = self._count % SLOW_EVERY == 1
        own = process_stat(self._host, self.pid)
        if slow:
            self.groups = self._current_groups()
        if self._count % TREE_EVERY == 1 or self._threads <= FEW_THREADS:
            self.look_for_descendants()
        found: dict[str, Any] = {"kind": kinds.SAMPLE}
        if own is not None:
            self._threads = own.threads
            found |= {
                "rss": own.rss_bytes,
                "vm": own.vm_bytes,
                "threads": own.threads,
                "cpu": round(own.cpu_seconds, 2),
                "major_faults": own.major_faults,
                "state": own.state,
            }
        others = [stat for pid in self._tree if (stat := self._alive(pid)) is not None]
        found["tree"] = found.get("rss", 0) + sum(stat.rss_bytes for stat in others)
        found["processes"] = 1 + len(others)
        found["groups"] = self.read_groups()
        _, available = self._host.memory()
        if available is not None:
            found["available"] = available
        if slow:
            self._slow = self._slow_readings(own, bool(others))
        found |= self._slow
        return found

    def _current_groups(self) -> tuple[GroupFolder, ...]:
        """The cgroups of the program now. One that is just ending is counted to the top group alone: that is no move."""
        now = self._host.memory_groups(self.pid)
        paths = [group.path for group in now]
        ending = len(now) < len(self.groups) and paths == [
            group.path for group in self.groups[-len(now) :]
        ]
        return self.groups if not now or ending else now

    def look_for_descendants(self) -> None:
        """Find the processes that the program has started by now."""
        self._tree = self._descendants()
        if len(self.family) < MAX_FAMILY:
            self.family |= self._tree.keys()

    def _alive(self, pid: int) -> ProcessStat | None:
        stat = process_stat(self._host, pid)
        return stat if stat is not None and stat.started == self._tree[pid] else None

    def _descendants(self) -> dict[int, int]:
        """Children of every thread, and theirs; those seen before are kept though they were given another parent."""
        found = {pid: started for pid, started in self._tree.items() if self._alive(pid)}
        waiting = [self.pid, *found]
        while waiting:
            pid = waiting.pop()
            try:
                threads = os.listdir(f"{self._host.root}/proc/{pid}/task")
            except OSError:
                continue
            for thread in threads:
                listing = self._host.read(f"/proc/{pid}/task/{thread}/children") or ""
                for word in listing.split():
                    child = whole(word)
                    if child is None or child in found:
                        continue
                    stat = process_stat(self._host, child)
                    if stat is not None:
                        found[child] = stat.started
                        waiting.append(child)
        return found

    def read_groups(self) -> list[list[Any]]:
        """Path, version and counters of every memory cgroup above the program."""
        return [
            [group.path, group.version, *self._host.read_group(group).as_list()]
            for group in self.groups
        ]

    def members(self) -> frozenset[int] | None:
        """The processes in the program's own cgroup."""
        return self._host.group_members(self.groups[0]) if self.groups else None

    def nearness(self, sample: dict[str, Any]) -> float:
        """How much of the tightest limit is used, between 0 and 1."""
        return max((used / limit for used, limit in self.limits(sample)), default=0.0)

    def limits(self, sample: dict[str, Any]) -> list[tuple[int, int]]:
        """Every limit above the program, the machine's last: the bytes in use, by all that share it, and the limit. Notes in the sample what is cache."""
        found = []
        for group, entry in zip(self.groups, sample["groups"], strict=False):
            reading = GroupReading(*entry[2:])
            if reading.used_bytes is not None and reading.limit_bytes:
                pressing = self._pressing(group, reading)
                found.append((pressing, reading.limit_bytes))
                if pressing < reading.used_bytes:
                    sample.setdefault("cached", {})[group.path] = reading.used_bytes - pressing
        total, _ = self._host.memory() if "available" in sample else (None, None)
        if total:
            found.append((total - sample["available"], total))
        return found

    def _pressing(self, group: GroupFolder, reading: GroupReading) -> int:
        """Use without the file cache, which the kernel gives up first; looked at only when it may matter."""
        used, limit = reading.used_bytes or 0, reading.limit_bytes or 1
        if used < WORTH_A_CLOSER_LOOK * limit:
            return used
        return max(0, used - self._host.group_cache(group))

    def _slow_readings(self, own: ProcessStat | None, has_children: bool) -> dict[str, Any]:
        found: dict[str, Any] = {}
        soft, _ = self._host.limits(self.pid).get("Max address space", (None, None))
        if soft is not None:
            found["address_limit"] = soft
        pressure = self._host.pressure()
        if pressure is not None:
            found["pressure"] = pressure
        machine_kills = self._host.machine_oom_kills()
        if machine_kills is not None:
            found["machine_oom_kills"] = machine_kills
        try:
            descriptors = os.listdir(f"{self._host.root}/proc/{self.pid}/fd")
            found["files"] = len(descriptors)
        except OSError:
            descriptors = []
        if has_children and own is not None and own.rss_bytes < PSS_CHEAP_BYTES:
            pss = self._host.table(f"/proc/{self.pid}/smaps_rollup").get("Pss")
            if pss is not None:
                found["pss"] = pss
        found["disks"] = self._disk_room(descriptors)
        if self._gpu is not None:
            found["gpu"] = self._gpu({self.pid, *self._tree})
        return found

    def _disk_room(self, descriptors: list[str]) -> dict[str, list[int]]:
        """Free and total bytes of the file systems that the program works on."""
        for path in [
            f"/proc/{self.pid}/cwd",
            *_folders_written(self._host, self.pid, descriptors),
        ]:
            mount = self._host.filesystem_of(path)
            if mount is not None and not mount.kind.startswith(NETWORK_KINDS):
                self._disks[mount.point] = path
        found = {}
        for point in list(self._disks)[:8]:
            try:
                room = os.statvfs(self._host.root + point)
            except OSError:
                continue
            found[point] = [room.f_bavail * room.f_frsize, room.f_blocks * room.f_frsize]
        return found


def _folders_written(host: Host, pid: int, descriptors: list[str]) -> list[str]:
    """Folders of the regular files that the program has open for writing (a bounded look)."""
    folders = set()
    for descriptor in descriptors[:64]:
        info = host.read(f"/proc/{pid}/fdinfo/{descriptor}", 256) or ""
        lines = [line.split() for line in info.splitlines() if line.startswith("flags:")]
        try:
            flags = int(lines[0][1], 8)
        except (IndexError, ValueError):
            continue
        if flags & (os.O_WRONLY | os.O_RDWR):
            try:
                target = os.readlink(f"{host.root}/proc/{pid}/fd/{descriptor}")
            except OSError:
                continue
            if target.startswith("/") and not target.startswith(("/dev/", "/proc/")):
                folders.add(os.path.dirname(target))
    return sorted(folders)[:8]


def open_gpus() -> tuple[Any, list[Any]] | None:
    """NVIDIA's reader and its handles of the GPUs, where there is one and the reader is installed."""
    if not os.path.exists("/dev/nvidiactl"):
        return None
    try:
        import pynvml

        pynvml.nvmlInit()
        devices = [
            pynvml.nvmlDeviceGetHandleByIndex(index) for index in range(pynvml.nvmlDeviceGetCount())
        ]
    except Exception:  # no driver, no permission, no library: a gap, not an error
        return None
    return pynvml, devices


def _gpu_meter() -> Any:
    """A function from process ids to the bytes they hold on GPUs."""
    opened = open_gpus()
    if opened is None:
        return None
    pynvml, devices = opened

    def used(pids: set[int]) -> int:
        total = 0
        for device in devices:
            for process in pynvml.nvmlDeviceGetComputeRunningProcesses(device):
                if process.pid in pids:
                    total += process.usedGpuMemory or 0
        return total

    return used
