"""A second process in the group of the supervisor. Whatever reaches it too was sent to the whole group, and so to the program.

The kernel does not say whether a signal was sent to one process or to its group, and a program must get each exactly once. The
witness also wakes a supervisor that stopped together with the program when somebody continues the program alone.
"""

from __future__ import annotations

import os

from outlive.inside.machine.plain_signal import signal
from outlive.recorder.oom_score import ask_to_be_spared

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Iterable

#: How often the witness checks that the supervisor is alive, and that a stopped program continues.
SECONDS_BETWEEN = 1.0
SECONDS_BETWEEN_WHEN_STOPPED = 0.05


class Witness:
    """The process, as the supervisor sees it. Without it (no more processes to be had) nothing was sent to the group."""

    def __init__(self, signals: Iterable[int]) -> None:
        """Before the program is started, with these signals already blocked: none is missed."""
        self._signals = frozenset(signals)
        self._seen: list[tuple[int, int]] = []
        self._hears, told = os.pipe()
        asked, self._asks = os.pipe()
        os.set_blocking(self._hears, False)
        supervisor = os.getpid()
        try:
            self.pid = os.fork()
        except OSError:
            self.pid = -1
        if self.pid == 0:
            try:
                self._testify(told, asked, supervisor)
            finally:
                os._exit(0)
        os.close(told)
        os.close(asked)

    def saw(self, number: int, sender: int) -> bool | None:
        """Whether it got this signal too; ``None``: it got one and has not said from whom."""
        try:
            while text := os.read(self._hears, 4096):
                for line in text.splitlines():
                    seen, by = line.split()
                    self._seen.append((int(seen), int(by)))
        except OSError:
            pass  # nothing more to read for now
        if (number, sender) in self._seen:
            self._seen.remove((number, sender))
            return True
        return None if self._has_pending(number) else False

    def supervisor_stops(self, program: int) -> None:
        """Wake the supervisor when the program is continuing without it."""
        if self.pid > 0:
            os.write(self._asks, b"%d" % program)
            _quietly_kill(self.pid, signal.SIGUSR1)

    def was_reaped(self, pid: int) -> None:
        """If it was the witness: it is dead, and its number may be another's by now."""
        if pid == self.pid:
            self.pid = -1

    def end(self) -> None:
        """End the witness and reap it."""
        if self.pid > 0:
            _quietly_kill(self.pid, signal.SIGKILL)
            try:
                os.waitpid(self.pid, 0)
            except ChildProcessError:
                pass

    def _has_pending(self, number: int) -> bool:
        try:
            with open(f"/proc/{self.pid}/status", "rb") as file:
                lines = [line for line in file if line.startswith((b"ShdPnd:", b"SigPnd:"))]
        except OSError:
            return False
        return any(int(line.split()[1], 16) >> (number - 1) & 1 for line in lines)

    def _testify(self, told: int, asked: int, supervisor: int) -> None:
        """The life of the witness: it holds nothing but its ends of the pipes, and ends with the supervisor."""
        let_go_of_all_but(told, asked)
        ask_to_be_spared()
        stopped = 0
        while os.getppid() == supervisor:
            pause = SECONDS_BETWEEN_WHEN_STOPPED if stopped else SECONDS_BETWEEN
            got = signal.sigtimedwait(self._signals, pause)
            if got is None:
                if stopped and not _is_stopped(stopped) and os.getppid() == supervisor:
                    stopped = 0
                    os.kill(supervisor, signal.SIGCONT)
            elif got.si_pid == supervisor:
                stopped = int(os.read(asked, 32))
            elif got.si_code <= 0:  # from a process, not from the kernel
                os.write(told, b"%d %d\n" % (got.si_signo, got.si_pid))


def let_go_of_all_but(*kept: int) -> None:
    """Of a forked process: close every descriptor but these; the standard ones lead nowhere."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in sorted({0, 1, 2, *map(int, os.listdir("/proc/self/fd"))} - {*kept, nothing}):
        try:
            os.dup2(nothing, number) if number <= 2 else os.close(number)
        except OSError:
            pass  # the one that listed the others


def _is_stopped(pid: int) -> bool:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] in (b"T", b"t")
    except OSError:
        return False


def _quietly_kill(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except OSError:
        pass
