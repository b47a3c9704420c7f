"""Start a process, wait for its end, say what it took. Nothing is left running, whatever happens."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO

READ_BYTES = 1 << 20
SECONDS_BETWEEN_LOOKS = 0.002


class DidNotEnd(Exception):
    """The process was still there at the deadline."""


@dataclass(frozen=True)
class Finished:
    """A process that has ended."""

    started_ns: int  #: time.time_ns() just before it was launched
    ended_ns: int
    seconds: float
    cpu_seconds: float  #: of the process and of the children that it has waited for
    status: int  #: negative: the signal that killed it
    output: str
    errors: str
    first_byte_ns: int = 0
    last_byte_ns: int = 0
    bytes_written: int = 0
    peak_rss: int = 0  #: bytes, of the launched process and its forked copies


@dataclass(frozen=True)
class Surroundings:
    """Where a process runs: its own folder, so that nothing it leaves behind is seen by the next."""

    folder: Path
    environment: Mapping[str, str]
    deadline: float


def run(command: list[str], where: Surroundings) -> Finished:
    """Run to the end with stdout and stderr in files."""
    with _started(command, where, stdin=subprocess.DEVNULL) as child:
        return child.finish()


def run_through_pipe(command: list[str], where: Surroundings) -> Finished:
    """Run to the end and read its stdout as fast as it comes."""
    with _started(command, where, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as child:
        assert child.process.stdout is not None
        descriptor = child.process.stdout.fileno()
        first, total = 0, 0
        while chunk := os.read(descriptor, READ_BYTES):
            first = first or time.time_ns()
            total += len(chunk)
        return child.finish(first_byte_ns=first, last_byte_ns=time.time_ns(), bytes_written=total)


def run_and_look_at_the_end(command: list[str], where: Surroundings) -> Finished:
    """Run a program that prints a line and then waits for the end of stdin; in between read the peak."""
    with _started(command, where, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.process.stdin is not None
        assert child.process.stdout is not None
        line = child.process.stdout.readline()
        peak = peak_rss(child.process.pid)
        child.process.stdin.close()
        rest = child.process.stdout.read()
        finished = child.finish(peak_rss=peak or 0)
        return _with_output(finished, (line + rest).decode(errors="replace"))


def run_and_keep_looking(command: list[str], where: Surroundings) -> Finished:
    """Run to the end and read the launched one's peak until it is gone."""
    with _started(command, where, stdin=subprocess.DEVNULL) as child:
        peak = 0
        look = os.WEXITED | os.WNOHANG | os.WNOWAIT
        while os.waitid(os.P_PID, child.process.pid, look) is None:
            peak = max(peak, peak_rss(child.process.pid) or 0)  # the witness may end first
            time.sleep(SECONDS_BETWEEN_LOOKS)
        return child.finish(peak_rss=peak)


def peak_rss(pid: int) -> int | None:
    """The largest resident sizes of a process and of its forked copies, in bytes; None when it is gone.

    Outlive forks a witness. Pages that the two share are counted twice: the figure is never too small.
    """
    own = _peak_of(pid)
    if own is None:
        return None
    return own + sum(_peak_of(copy) or 0 for copy in _forked_copies(pid))


def _peak_of(pid: int) -> int | None:
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return None


def _forked_copies(pid: int) -> Iterator[int]:
    """Children that run the same command; the watched program runs another."""
    with contextlib.suppress(OSError):
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
        for child in map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split()):
            with contextlib.suppress(OSError):
                if Path(f"/proc/{child}/cmdline").read_bytes() == command:
                    yield child


class _Child:
    """A launched process and the clock that started with it."""

    def __init__(
        self, process: subprocess.Popen[bytes], folder: Path, started_ns: int, started: float
    ) -> None:
        self.process = process
        self.late = False
        self._folder = folder
        self._started_ns = started_ns
        self._started = started

    def kill(self) -> None:
        """End the process and all that it has started: it leads its own session."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)

    def kill_late(self) -> None:
        """Called at the deadline."""
        self.late = True
        self.kill()

    def finish(self, **seen: int) -> Finished:
        """Wait for the end. ``wait4`` tells the time of this process alone, unlike ``getrusage``."""
        _, status, usage = os.wait4(self.process.pid, 0)
        ended, ended_ns = time.perf_counter(), time.time_ns()
        self.process.returncode = os.waitstatus_to_exitcode(status)
        if self.late:
            raise DidNotEnd
        return Finished(
            self._started_ns,
            ended_ns,
            ended - self._started,
            usage.ru_utime + usage.ru_stime,
            self.process.returncode,
            _text(self._folder / "stdout"),
            _text(self._folder / "stderr"),
            **seen,
        )


@contextlib.contextmanager
def _started(
    command: list[str],
    where: Surroundings,
    stdin: int,
    stdout: int | None = None,
) -> Iterator[_Child]:
    with contextlib.ExitStack() as files:
        errors = files.enter_context((where.folder / "stderr").open("wb"))
        output: int | IO[bytes] = (
            files.enter_context((where.folder / "stdout").open("wb")) if stdout is None else stdout
        )
        started_ns, started = time.time_ns(), time.perf_counter()
        process = subprocess.Popen(
            command,
            stdin=stdin,
            stdout=output,
            stderr=errors,
            cwd=where.folder,
            env=dict(where.environment),
            start_new_session=True,
        )
    child = _Child(process, where.folder, started_ns, started)
    alarm = threading.Timer(where.deadline, child.kill_late)
    alarm.daemon = True
    alarm.start()
    try:
        yield child
    finally:
        alarm.cancel()
        child.kill()  # also what an ended one has left behind: its group lasts as long as a member
        if process.returncode is None:
            process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


def _with_output(finished: Finished, output: str) -> Finished:
    return Finished(**{**vars(finished), "output": output})


def _text(path: Path) -> str:
    return path.read_text(errors="replace") if path.exists() else ""
