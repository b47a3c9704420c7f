"""What is read of a program while it is rehearsed: its memory, what it writes, the account that is kept inside it."""

from __future__ import annotations

import json
import os
import subprocess
import time
from collections.abc import Callable, Sequence
from typing import Any

from outlive.inside.machine.host import Host
from outlive.inside.machine.memory_limit import effective_limit
from outlive.keep.rehearse.overlay import Overlay, bytes_below
from outlive.keep.rehearse.trial import run_in
from outlive.model.quick_dataclass import dataclass
from outlive.recorder.sampler import Sampler
from outlive.recorder.store.read_run import read_run, start_of
from outlive.recorder.worker_cgroup import Cell

SECONDS_BETWEEN = 0.1

#: To add up the files of a folder takes time.
SECONDS_BETWEEN_DISKS = 2.0

#: … and to read the whole account of the steps.
SECONDS_BETWEEN_COUNTS = 1.0

#: The account of the steps, in the home of the rehearsal.
STEPS_NAME = "steps"


@dataclass(frozen=True, slots=True)
class Reading:
    """One moment, seen from outside."""

    at: float  #: seconds since 1970
    bytes: int  #: that are the program's own, with its children's


@dataclass(frozen=True, slots=True)
class Watched:
    """A rehearsal, as it was seen."""

    readings: tuple[Reading, ...] = ()
    ticks: tuple[dict[str, Any], ...] = ()
    written: tuple[Reading, ...] = ()  #: bytes on the disk
    status: int | None = None  #: None: it lived to the end of the rehearsal
    seconds: float = 0.0
    limit_bytes: int = 0  #: what the program itself may use of the limit
    source: str = ""  #: what says so
    spike_bytes: int = 0  #: of its highest moment, what no reading has seen
    over: bool = False  #: it used more than a limit that nobody enforces here
    disk_left_bytes: int | None = None

    @property
    def peak_bytes(self) -> int:
        """The most that was in use."""
        return max((one.bytes for one in self.readings), default=0) + self.spike_bytes


class Watch:
    """Reads, until the program ends, the time is over, or it has made its steps."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        home: str,
        memory_bytes: int | None,
        cell: Cell | None,
        overlay: Overlay | None,
        count: Callable[[Sequence[dict[str, Any]]], float],
    ) -> None:
        self._count = count
        self._process = process
        self._home = home
        self._memory_bytes = memory_bytes
        self._cell = cell
        self._overlay = overlay
        self._host = Host()
        self._all = Sampler(self._host, process.pid)
        self._sampler: Sampler | None = None
        self._readings: list[Reading] = []
        self._written: list[Reading] = []
        self._limit, self._source = 0, ""
        self._highest = 0
        self._over = False
        self.steps = 0.0  #: as a progress bar counts them

    def until(self, end: float, steps: int | None, tell: Callable[[Watch], None]) -> Watched:
        """Watch until a moment of the monotonic clock, or until so many steps were made."""
        began, status = time.monotonic(), None
        counted_at = began
        while time.monotonic() < end and not self._over:
            try:
                status = self._process.wait(SECONDS_BETWEEN)
                break
            except subprocess.TimeoutExpired:
                self._read()
            if steps is not None and time.monotonic() >= counted_at + SECONDS_BETWEEN_COUNTS:
                counted_at = time.monotonic()
                self.steps = self._count(ticks_in(self._path))
                if self.steps >= steps:
                    break
            tell(self)
        return self._result(status, time.monotonic() - began)

    @property
    def used_bytes(self) -> int:
        """In use at the last reading."""
        return self._readings[-1].bytes if self._readings else 0

    @property
    def limit_bytes(self) -> int:
        """What the program may use, as it was last seen."""
        return self._limit

    @property
    def _path(self) -> str:
        return os.path.join(self._home, STEPS_NAME)

    def _read(self) -> None:
        if self._sampler is None:
            pid = self._program()
            if pid is None:
                return
            self._sampler = Sampler(self._host, pid)
        self._sampler.look_for_descendants()
        pids = [self._sampler.pid, *self._sampler.tree]
        used = private_bytes(self._host, pids)
        if not used:
            return
        now = time.time()
        self._readings.append(Reading(now, used))
        self._highest = max(self._highest, _highest(self._host, self._sampler.pid))
        self._bound(used)
        if self._overlay is not None and (
            not self._written or now - self._written[-1].at >= SECONDS_BETWEEN_DISKS
        ):
            self._written.append(Reading(now, self._overlay.written_bytes()))

    def _program(self) -> int | None:
        folder = run_in(self._home)
        pid = start_of(read_run(folder)[0]).get("pid") if folder else None
        return pid if isinstance(pid, int) else None

    def _bound(self, used: int) -> None:
        """How much the program may use: what it has, and what is left of the tightest limit."""
        if self._memory_bytes is not None:
            beside = 0
            if self._cell is not None:
                self._all.look_for_descendants()
                session = private_bytes(self._host, [self._all.pid, *self._all.tree])
                beside = max(0, (self._cell.used_bytes() or 0) - session)
            self._limit, self._source = self._memory_bytes - beside, "--memory"
            self._over = self._cell is None and used > self._memory_bytes
            return
        limit = effective_limit(self._host, self._process.pid)
        if limit.left_bytes is not None:
            self._limit, self._source = used + limit.left_bytes, limit.source

    def _result(self, status: int | None, seconds: float) -> Watched:
        last = max((one.bytes for one in self._readings), default=0)
        folder = self._overlay.upper if self._overlay is not None else os.getcwd()
        try:
            room = os.statvfs(folder)
            left = room.f_bavail * room.f_frsize
        except OSError:
            left = None
        return Watched(
            tuple(self._readings),
            tuple(ticks_in(self._path)),
            tuple(self._written),
            status,
            seconds,
            self._limit,
            self._source,
            max(0, self._highest - last) if self._highest else 0,
            self._over,
            left,
        )


def private_bytes(host: Host, pids: list[int]) -> int:
    """What processes have in memory that no file could give back; what several share is counted once."""
    if len(pids) == 1:
        found = host.table(f"/proc/{pids[0]}/status")
        return found.get("RssAnon", 0) + found.get("RssShmem", 0)
    total = 0
    for pid in pids:
        shared = host.table(f"/proc/{pid}/smaps_rollup")
        if "Pss_Anon" in shared:
            total += shared["Pss_Anon"] + shared.get("Pss_Shmem", 0)
        else:
            found = host.table(f"/proc/{pid}/status")
            total += found.get("RssAnon", 0) + found.get("RssShmem", 0)
    return total


def _highest(host: Host, pid: int) -> int:
    """The most that one process ever had, without the pages of files that it has now."""
    found = host.table(f"/proc/{pid}/status")
    return max(0, found.get("VmHWM", 0) - found.get("RssFile", 0))


def checkpoint_bytes(path: str) -> int:
    """What a checkpoint takes: a file, a folder, or the files of TensorFlow's that begin with its name."""
    if os.path.isdir(path):
        return bytes_below(path)
    folder, name = os.path.split(path)
    try:
        return sum(
            entry.stat().st_size
            for entry in os.scandir(folder or os.curdir)
            if entry.name == name or entry.name.startswith((f"{name}.", f"{name}-"))
        )
    except OSError:
        return 0


def ticks_in(path: str) -> list[dict[str, Any]]:
    """The account that was kept inside the program; a torn last line is left out."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            lines = file.read().splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        try:
            tick = json.loads(line)
        except ValueError:
            continue
        if isinstance(tick, dict):
            found.append(tick)
    return found
