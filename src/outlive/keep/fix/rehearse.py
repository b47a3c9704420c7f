"""Run the patched copy as the program was run: by `outlive run`, under the same limits, for a limited time."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from outlive.coroner.judge import judge
from outlive.inside.machine.host import Host
from outlive.keep.fix.private_copy import PrivateCopy
from outlive.keep.fix.start_again import Start
from outlive.model.evidence import Evidence
from outlive.model.findings import Verdict
from outlive.model.quick_dataclass import dataclass
from outlive.recorder.sampler import Sampler
from outlive.recorder.store.read_run import read_run
from outlive.recorder.worker_cgroup import Cell, make_cell

SECONDS_BETWEEN = 0.1
SECONDS_TO_END = 10.0

#: The file of a cgroup that a process enters it by.
ENTER = "cgroup.procs"


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """What became of the patched copy."""

    verdict: Verdict | None  #: none while it still lived, or when nothing was recorded
    evidence: Evidence | None
    status: int | None  #: of the program; None: it lived to the end of the rehearsal
    seconds: float
    cpu_seconds: float
    peak_bytes: int
    last_bytes: int  #: in use at the end
    middle_bytes: int  #: … and half of the time before
    limited: bool  #: whether Linux enforced the same limit
    over: bool = (
        False  #: it was ended because it used more than the limit that nobody enforces here
    )


def rehearse(
    start: Start,
    copy: PrivateCopy,
    script: Callable[[list[str]], list[str]],
    seconds: float,
) -> Rehearsal:
    """Run a program in the private copy. ``script`` may change the command (a notebook is run as a script)."""
    host, began = Host(), time.monotonic()
    cell = _cell(host, start)
    same = cell is not None or _is_limited_already(host, start)
    words = script([copy.word(word) for word in start.command])
    with tempfile.TemporaryDirectory(prefix="outlive-fix-home-") as home:
        process = _begin(start, copy, words, home, cell)
        meter = _meter(host, process, cell)
        try:
            watched = _watch(process, meter, start, began + seconds, same)
        finally:
            _end(process)
            if cell is not None:
                cell.remove()
        folder = _run_in(home)
        told = _judged(folder) if folder else None
    return _result(watched, told, time.monotonic() - began, same)


def _begin(
    start: Start, copy: PrivateCopy, words: list[str], home: str, cell: Cell | None
) -> subprocess.Popen[bytes]:
    """Start the patched copy under `outlive run`, in a session of its own; what it prints goes to a file of its own."""
    options = ["--quiet", *(["--hang-after", "5"] if start.hung else [])]
    with open(os.path.join(home, "output"), "wb") as output:
        return subprocess.Popen(
            [sys.executable, "-m", "outlive", "run", *options, "--", *words],
            cwd=copy.path_of(start.folder) or start.folder,
            env=_environment(start, copy, home),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            preexec_fn=_entering(cell, start),
        )


def _result(
    watched: _Watched, told: tuple[Verdict, Evidence] | None, seconds: float, same: bool
) -> Rehearsal:
    readings = watched.readings or [0]
    samples = told[1].run.samples if told is not None else ()
    return Rehearsal(
        verdict=told[0] if told is not None and watched.status is not None else None,
        evidence=told[1] if told is not None else None,
        status=watched.status,
        seconds=seconds,
        cpu_seconds=max((sample.cpu_seconds for sample in samples), default=0.0),
        peak_bytes=watched.peak,
        last_bytes=readings[-1],
        middle_bytes=readings[len(readings) // 2],
        limited=same,
        over=watched.over,
    )


class _Watched:
    """What was seen of a process while it ran."""

    def __init__(self) -> None:
        self.readings: list[int] = []
        self.peak = 0
        self.status: int | None = None
        self.over = False


def _meter(host: Host, process: subprocess.Popen[bytes], cell: Cell | None) -> Callable[[], int]:
    """How to read the memory in use: as the cgroup counts it, else of the processes."""
    sampler = Sampler(host, process.pid)

    def read() -> int:
        used = cell.used_bytes() if cell is not None else None
        return used if used is not None else int(sampler.sample().get("tree", 0))

    return read


def _watch(
    process: subprocess.Popen[bytes],
    used_now: Callable[[], int],
    start: Start,
    until: float,
    same: bool,
) -> _Watched:
    """Wait for the end of a process, or for the end of the rehearsal."""
    seen = _Watched()
    while time.monotonic() < until:
        try:
            seen.status = process.wait(SECONDS_BETWEEN)
            return seen
        except subprocess.TimeoutExpired:
            used = used_now()
            seen.readings.append(used)
            seen.peak = max(seen.peak, used)
            if not same and start.memory_bytes and used > start.memory_bytes:
                seen.over = True
                return seen
    return seen


def _cell(host: Host, start: Start) -> Cell | None:
    if start.memory_bytes is None or _is_limited_already(host, start):
        return None
    return make_cell(host, start.memory_bytes)


def _is_limited_already(host: Host, start: Start) -> bool:
    """Whether this process is under the same limit, or none was known."""
    if start.memory_bytes is None:
        return True
    limits = [host.read_group(group).limit_bytes for group in host.memory_groups()]
    return any(limit is not None and limit <= start.memory_bytes for limit in limits)


def _environment(start: Start, copy: PrivateCopy, home: str) -> Mapping[str, str]:
    """The present environment, with the variables that the record kept, and a home of its own for the record."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("OUTLIVE_")}
    found = {**own, **start.variables, "OUTLIVE_HOME": home}
    if "PYTHONPATH" in found:
        found["PYTHONPATH"] = copy.paths(found["PYTHONPATH"])
    return found


def _entering(cell: Cell | None, start: Start) -> Callable[[], None]:
    """What the child does before it becomes `outlive run`: it enters the group and takes the limits."""

    def enter() -> None:
        if cell is not None:
            with open(os.path.join(cell.path, ENTER), "w") as file:
                file.write(str(os.getpid()))
        for name, (soft, _) in start.limits.items():
            number = getattr(resource, name)
            _, hard = resource.getrlimit(number)
            wanted = resource.RLIM_INFINITY if soft is None else soft
            if hard != resource.RLIM_INFINITY and (soft is None or soft > hard):
                wanted = hard
            with suppress(ValueError, OSError):
                resource.setrlimit(number, (wanted, hard))

    return enter


def _end(process: subprocess.Popen[bytes]) -> None:
    """End what still runs: first the supervisor, who ends the program and closes its record; then whatever is left of the session."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            process.wait(SECONDS_TO_END)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pid in _of_session(process.pid):  # a program may have made itself a process group
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)


def _of_session(session: int) -> list[int]:
    """The processes that are left of the session that was made for the rehearsal."""
    found = []
    for name in os.listdir("/proc"):
        with suppress(OSError):
            if name.isdigit() and os.getsid(int(name)) == session:
                found.append(int(name))
    return found


def _run_in(home: str) -> str | None:
    runs = os.path.join(home, "runs")
    names = sorted(os.listdir(runs)) if os.path.isdir(runs) else []
    return os.path.join(runs, names[-1]) if names else None


def _judged(folder: str) -> tuple[Verdict, Evidence]:
    payloads, rings = read_run(folder)
    return judge(os.path.basename(folder), payloads, rings)
