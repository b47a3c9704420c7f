"""What the watches need beside the samples: read every few seconds, from outside, in about half a millisecond."""

from __future__ import annotations

import os

from outlive.inside.machine.cpu_quota import throttled_groups
from outlive.inside.machine.host import Host, whole
from outlive.recorder.sampler import TICKS, open_gpus, process_stat
from outlive.recorder.watching.data_waits import DataWaits

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

#: A short program has little time to be warned of; in a long one nothing happens that fast.
SECONDS_BETWEEN_AT_FIRST = 1.0
SECONDS_BETWEEN = 5.0
FIRST_SECONDS = 60.0

#: Above a program lie few cgroups that limit its threads or its CPU time; they are looked for again once a minute.
SECONDS_BETWEEN_GROUPS = 60.0

#: Fields of the first line of /proc/stat, after its name: time in which a CPU did nothing, and time that the hypervisor took.
IDLE, IOWAIT, STOLEN = 3, 4, 7


class Readings:
    """Reads a living program and the machine it is on, when it is time to."""

    def __init__(self, host: Host, pid: int, rings: str | None) -> None:
        self._host = host
        self._pid = pid
        self._next = 0.0
        self._next_groups = 0.0
        self._limited = False  #: by a quota
        self._task_groups: list[str] = []
        self._data = DataWaits(rings)
        self._gpus = _gpu_rooms()

    def read(self, sample: dict[str, Any], tree: Collection[int]) -> dict[str, Any] | None:
        """One reading as plain data, or None when it is too early for the next; what could not be read is not in it."""
        at = sample["at"]
        if at < self._next:
            return None
        self._next = at + (SECONDS_BETWEEN_AT_FIRST if at < FIRST_SECONDS else SECONDS_BETWEEN)
        found: dict[str, Any] = {"cpu": self._cpu_seconds(tree)}
        found |= self._main_thread() | self._machine() | self._threads(sample) | self._files()
        found["quotas"] = self._throttled(at)
        found["disks"] = self._rooms(sample.get("disks") or {})
        if self._gpus is not None:
            found["gpus"] = self._gpus({self._pid, *tree})
        waits = self._data.look(at, found)
        if waits is not None:
            found["data"] = waits
        return found

    def _cpu_seconds(self, tree: Collection[int]) -> float:
        stats = [process_stat(self._host, pid) for pid in (self._pid, *tree)]
        return round(sum(stat.cpu_seconds for stat in stats if stat is not None), 2)

    def _main_thread(self) -> dict[str, float]:
        """How long the main thread was on a CPU, and how long it waited for one."""
        words = (self._host.read(f"/proc/{self._pid}/schedstat", 128) or "").split()
        numbers = [whole(word) for word in words[:2]]
        if len(numbers) < 2 or None in numbers:
            return {}
        ran, waited = (round((number or 0) / 1e9, 3) for number in numbers)
        status = self._host.table(f"/proc/{self._pid}/status")
        slept = status.get("voluntary_ctxt_switches")
        return {"ran": ran, "waited": waited, **({"slept": slept} if slept is not None else {})}

    def _machine(self) -> dict[str, float]:
        line = (self._host.read("/proc/stat", 256) or "").partition("\n")[0]
        numbers = [whole(word) for word in line.split()[1:]]
        ticks = [number for number in numbers[:8] if number is not None]
        if not line.startswith("cpu ") or len(ticks) < 8:
            return {}
        busy = sum(ticks) - ticks[IDLE] - ticks[IOWAIT]
        return {
            "busy": busy / TICKS,
            "stolen": ticks[STOLEN] / TICKS,
            "machine_cpus": os.cpu_count() or 1,
            "cpus": _cpus_of(self._pid),
        }

    def _threads(self, sample: dict[str, Any]) -> dict[str, int]:
        """Threads of the program, and how many it can have with what others in its cgroups, and on the machine, use now."""
        threads = sample.get("threads")
        if threads is None:
            return {}
        rooms = []
        for path in self._task_groups:
            limit, used, _ = self._host.read_task_group(path)
            if limit is not None and used is not None:
                rooms.append(limit - used)
        words = (self._host.read("/proc/loadavg", 128) or "").replace("/", " ").split()
        used = whole(words[4]) if len(words) > 4 else None
        most = [
            limit
            for name in ("pid_max", "threads-max")
            if (limit := self._host.number(f"/proc/sys/kernel/{name}")) is not None
        ]
        if used is not None and most:
            rooms.append(min(most) - used)
        return {"threads": threads, **({"most_threads": threads + min(rooms)} if rooms else {})}

    def _files(self) -> dict[str, int]:
        soft, _ = self._host.limits(self._pid).get("Max open files", (None, None))
        try:
            count = len(os.listdir(f"{self._host.root}/proc/{self._pid}/fd"))
        except OSError:
            return {}
        return {"files": count, **({"most_files": soft} if soft is not None else {})}

    def _rooms(self, known: Collection[str]) -> dict[str, list[int]]:
        """Free and total bytes, now, of the file systems that the sampler has found; it looks less often."""
        found = {}
        for point in known:
            try:
                room = os.statvfs(self._host.root + point)
            except OSError:
                continue
            found[point] = [room.f_bavail * room.f_frsize, room.f_blocks * room.f_frsize]
        return found

    def _throttled(self, at: float) -> list[list[Any]]:
        if at >= self._next_groups:
            self._next_groups = at + SECONDS_BETWEEN_GROUPS
            self._limited = bool(throttled_groups(self._host, self._pid))
            self._task_groups = [group[0] for group in self._host.task_groups(self._pid)]
        return (
            [list(group) for group in throttled_groups(self._host, self._pid)]
            if self._limited
            else []
        )


def _cpus_of(pid: int) -> int:
    try:
        return len(os.sched_getaffinity(pid))
    except OSError:
        return os.cpu_count() or 1


def _gpu_rooms() -> Any:
    """A function from process ids to used and total bytes of the GPUs that they use."""
    opened = open_gpus()
    if opened is None:
        return None
    pynvml, devices = opened

    def rooms(pids: set[int]) -> list[list[int]]:
        found = []
        for device in devices:
            users = pynvml.nvmlDeviceGetComputeRunningProcesses(device)
            if any(process.pid in pids for process in users):
                memory = pynvml.nvmlDeviceGetMemoryInfo(device)
                found.append([memory.used, memory.total])
        return found

    return rooms
