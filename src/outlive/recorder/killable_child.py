"""Work in a process of its own, which can be ended at any moment: judging must not keep a dead program's status back.

One match of ``re``, or one read of a file system that does not answer, cannot be stopped from within a Python process. A forked child can:
it costs some 3 ms, and no memory but for the pages that it writes to. It tells over a pipe what it is at, and its result. The one who
waits looks at three things: its own signals, the child's CPU time, and the clock. CPU time is what counts on a busy machine: 0.4 s of it
took 8 s where twenty processes shared two cores. It is no command, and has nothing to start: a fork of ourselves that hands over an object.
"""

from __future__ import annotations

import os
import pickle
import select
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

#: When these come, whoever waits for the program wants its status now.
STOPS = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT})

#: The promise is a verdict within 1 s; this is where the promise of the program's status takes over.
CPU_SECONDS = 5.0
SECONDS = 15.0

#: For one question, and when no further one is begun, so that the answers so far are told.
CPU_SECONDS_PER_PART = 1.0
CPU_SECONDS_FOR_PARTS = 3.5

#: How long a signal may wait to be seen.
LOOKS_SECONDS = 0.05

SECONDS_TO_DIE = 1.0

STEP, RESULT, FAILED = b"s", b"r", b"f"


class Cut(Exception):
    """The work was ended before it had a result."""

    def __init__(self, step: str, why: str, stopped: bool = False) -> None:
        super().__init__(f"{why}, while {step}" if step else why)
        self.stopped = stopped  #: by a signal


class TookTooLong(Exception):
    """One part of the work took more than its share."""


class Work:
    """The child's side: says what is being done, and hands over the result."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe
        signal.signal(signal.SIGPROF, _too_long)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF})

    def step(self, what: str) -> None:
        """Say what comes next, for the case that it does not end."""
        self._send(STEP, what.encode("utf-8", "replace"))

    @contextmanager
    def part(self, what: str) -> Iterator[None]:
        """One part of many, each of which may fail: it raises when it has taken its share of CPU time, and is not begun when too much was taken before."""
        self.step(what)
        if time.process_time() > CPU_SECONDS_FOR_PARTS:
            raise TookTooLong(f"skipped: {CPU_SECONDS_FOR_PARTS:g} s of CPU were already used")
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS_PER_PART)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0.0)

    def result(self, value: Any) -> None:
        """Hand the result over."""
        self._send(RESULT, pickle.dumps(value))

    def failed(self, error: BaseException) -> None:
        """Say why there is no result."""
        self._send(FAILED, f"{type(error).__name__}: {error}".encode("utf-8", "replace"))

    def _send(self, kind: bytes, data: bytes) -> None:
        rest = memoryview(kind + len(data).to_bytes(8, "little") + data)
        while rest:
            rest = rest[os.write(self._pipe, rest) :]


def _too_long(number: int, frame: Any) -> NoReturn:
    raise TookTooLong(f"took more than {CPU_SECONDS_PER_PART:g} s of CPU")


class Failed(Exception):
    """The work in the child raised an exception."""


def apart(work: Callable[[Work], None]) -> Any:
    """Do work in a child and return the result that it hands over, or raise `Cut`. Where no child can be had, do it here.

    The signals of `STOPS` must be blocked: one that comes in the meantime is left pending.
    """
    while signal.sigtimedwait(STOPS, 0) is not None:
        pass  # sent before: the program has had them
    here, there = os.pipe()
    try:
        child = os.fork()
    except OSError:
        os.close(here)
        os.close(there)
        return _at_home(work)
    if child == 0:
        os.close(here)
        _do(work, Work(there))
    os.close(there)
    return _Waiting(child, here).result()


def _do(work: Callable[[Work], None], told: Work) -> NoReturn:
    status = 0
    try:
        work(told)
        sys.stderr.flush()
    except BaseException as error:
        status = 1
        told.failed(error)
    finally:
        os._exit(status)


class _Here(Work):
    """Work done in this process, because no other could be started."""

    def __init__(self) -> None:
        self.value: Any = None

    def step(self, what: str) -> None:
        """Do nothing: no parent listens."""

    @contextmanager
    def part(self, what: str) -> Iterator[None]:
        """Nobody can end it."""
        yield

    def result(self, value: Any) -> None:
        """Keep the result for `_at_home`."""
        self.value = value


def _at_home(work: Callable[[Work], None]) -> Any:
    told = _Here()
    work(told)
    return told.value


class _Waiting:
    """The parent's side: reads what the child says, and ends it when its time is over."""

    def __init__(self, child: int, pipe: int) -> None:
        self._child = child
        self._pipe = pipe
        self._began = time.monotonic()
        self._unread = b""
        self._step = ""
        self._found: list[Any] = []
        self._error = ""

    def result(self) -> Any:
        """Wait for the child's end; its result."""
        try:
            while self._read():
                self._look()
        finally:
            os.close(self._pipe)
            _reap(self._child)
        if not self._found:
            raise Failed(self._error) if self._error else Cut(self._step, "it was killed")
        return self._found[0]

    def _read(self) -> bool:
        """Take what has come; whether more may."""
        poll = select.poll()
        poll.register(self._pipe, select.POLLIN)
        if not poll.poll(LOOKS_SECONDS * 1000):
            return True
        data = os.read(self._pipe, 1 << 20)
        self._unread += data
        while len(self._unread) >= 9:
            length = int.from_bytes(self._unread[1:9], "little")
            if len(self._unread) < 9 + length:
                break
            self._take(self._unread[:1], self._unread[9 : 9 + length])
            self._unread = self._unread[9 + length :]
        return bool(data)

    def _take(self, kind: bytes, data: bytes) -> None:
        if kind == STEP:
            self._step = data.decode("utf-8", "replace")
        elif kind == RESULT:
            self._found.append(pickle.loads(data))  # our own child's
        else:
            self._error = data.decode("utf-8", "replace")

    def _look(self) -> None:
        """End the child when somebody wants us to end, or when it has had its time."""
        if self._found:
            return  # it is about to leave
        if signal.sigpending() & STOPS:
            self._end("a signal requested the end", stopped=True)
        if time.monotonic() - self._began > SECONDS:
            self._end(f"it took more than {SECONDS:g} s")
        if _cpu_seconds(self._child) > CPU_SECONDS:
            self._end(f"it took more than {CPU_SECONDS:g} s of CPU")

    def _end(self, why: str, stopped: bool = False) -> NoReturn:
        os.kill(self._child, signal.SIGKILL)
        raise Cut(self._step, why, stopped)


def _reap(child: int) -> None:
    """Take the child's status; one that waits for a disk that does not answer cannot be killed, and is left behind."""
    until = time.monotonic() + SECONDS_TO_DIE
    while os.waitpid(child, os.WNOHANG)[0] == 0 and time.monotonic() < until:
        time.sleep(0.005)


def _cpu_seconds(pid: int) -> float:
    """What a process has used, by Linux' clock of that process."""
    try:
        return time.clock_gettime((~pid << 3) | 2)
    except OSError:
        return 0.0
