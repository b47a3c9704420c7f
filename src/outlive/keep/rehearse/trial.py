"""A program that is tried: started by `outlive run` in a session of its own, under a limit, and ended with everything that it started."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field

from outlive.coroner.judge import judge
from outlive.inside.machine.host import Host
from outlive.model.evidence import Evidence
from outlive.model.findings import Verdict
from outlive.model.quick_dataclass import dataclass
from outlive.recorder.sampler import Sampler
from outlive.recorder.store.read_run import read_run
from outlive.recorder.worker_cgroup import Cell, make_cell

SECONDS_TO_END = 10.0

#: What is left of a session, which was killed, is gone by then.
SECONDS_TO_VANISH = 2.0

#: The file of a cgroup that a process enters it by.
ENTER = "cgroup.procs"

#: What a program prints while it is tried.
OUTPUT_NAME = "output"


@dataclass(frozen=True, slots=True)
class Conditions:
    """What a program is tried under."""

    folder: str
    environment: Mapping[str, str]
    limits: Mapping[str, tuple[int | None, int | None]] = field(default_factory=dict)


def cell_for(host: Host, memory_bytes: int | None) -> Cell | None:
    """A cgroup with the limit, where it is not in force already and one can be made."""
    if memory_bytes is None or is_limited_already(host, memory_bytes):
        return None
    return make_cell(host, memory_bytes)


def is_limited_already(host: Host, memory_bytes: int | None) -> bool:
    """Whether this process is under the same limit, or none is asked for."""
    if memory_bytes is None:
        return True
    limits = [host.read_group(group).limit_bytes for group in host.memory_groups()]
    return any(limit is not None and limit <= memory_bytes for limit in limits)


def begin(
    command: Sequence[str],
    options: Sequence[str],
    home: str,
    conditions: Conditions,
    cell: Cell | None,
    around: Sequence[str] = (),
) -> subprocess.Popen[bytes]:
    """Start a program under `outlive run`; what it prints goes to a file of its own. ``around``: what starts Outlive in its turn."""
    with open(os.path.join(home, OUTPUT_NAME), "wb") as output:
        return subprocess.Popen(
            [*around, sys.executable, "-m", "outlive", "run", *options, "--", *command],
            cwd=conditions.folder,
            env=conditions.environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            preexec_fn=_entering(cell, conditions),
        )


def environment_for(home: str, kept: Mapping[str, str] | None = None) -> dict[str, str]:
    """The present environment, without what is Outlive's own, with variables that were kept, and a home for the record."""
    own = {name: value for name, value in os.environ.items() if not name.startswith("OUTLIVE_")}
    return {**own, **(kept or {}), "OUTLIVE_HOME": home}


def meter(host: Host, process: subprocess.Popen[bytes], cell: Cell | None) -> Callable[[], int]:
    """How to read the memory in use: as the cgroup counts it, else of the processes."""
    sampler = Sampler(host, process.pid)

    def read() -> int:
        used = cell.used_bytes() if cell is not None else None
        return used if used is not None else int(sampler.sample().get("tree", 0))

    return read


def _entering(cell: Cell | None, conditions: Conditions) -> Callable[[], None]:
    """What the child does before it becomes `outlive run`: it enters the group and takes the limits."""

    def enter() -> None:
        if cell is not None:
            with open(os.path.join(cell.path, ENTER), "w") as file:
                file.write(str(os.getpid()))
        for name, (soft, _) in conditions.limits.items():
            number = getattr(resource, name)
            _, hard = resource.getrlimit(number)
            wanted = resource.RLIM_INFINITY if soft is None else soft
            if hard != resource.RLIM_INFINITY and (soft is None or soft > hard):
                wanted = hard
            with suppress(ValueError, OSError):
                resource.setrlimit(number, (wanted, hard))

    return enter


def end(
    process: subprocess.Popen[bytes], signals: Sequence[signal.Signals] = (signal.SIGTERM,)
) -> None:
    """End what still runs: first the supervisor, who ends the program and closes its record; then whatever is left of the session."""
    for number in signals:
        if process.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(process.pid, number)
            with suppress(subprocess.TimeoutExpired):
                process.wait(SECONDS_TO_END)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    until = time.monotonic() + SECONDS_TO_VANISH
    while left := of_session(process.pid):  # a program may have made itself a process group
        for pid in left:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if time.monotonic() > until:
            return
        time.sleep(0.01)


def of_session(session: int) -> list[int]:
    """The processes that are left of the session that was made for a trial; not those that are dead and wait for their parent."""
    found = []
    for name in os.listdir("/proc"):
        with suppress(OSError):
            if name.isdigit() and os.getsid(int(name)) == session and not _is_dead(name):
                found.append(int(name))
    return found


def _is_dead(pid: str) -> bool:
    return (Host().read(f"/proc/{pid}/stat", 1024) or "").rpartition(")")[2].split()[:1] == ["Z"]


def run_in(home: str) -> str | None:
    """The folder of the record."""
    runs = os.path.join(home, "runs")
    names = sorted(os.listdir(runs)) if os.path.isdir(runs) else []
    return os.path.join(runs, names[-1]) if names else None


def judged(folder: str) -> tuple[Verdict, Evidence]:
    """The verdict on a trial that has ended."""
    payloads, rings = read_run(folder)
    return judge(os.path.basename(folder), payloads, rings)
