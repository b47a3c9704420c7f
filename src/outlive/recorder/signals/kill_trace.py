"""Who sends SIGKILL, as the kernel's own tracing tells it: an instance of tracefs with one event and a filter.

A signal that cannot be caught tells its target nothing. The kernel can tell root, where somebody has mounted tracefs; nothing is mounted
here, and no other trace is touched. It is begun half a second after the start, in 7 to 30 ms (Linux 6.18), and costs the program nothing.
"""

from __future__ import annotations

import os
import re

from outlive.inside.machine.host import Host
from outlive.recorder.sampler import has_own_pid_namespace, process_stat

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Iterator

INSTANCES = ("/sys/kernel/tracing/instances", "/sys/kernel/debug/tracing/instances")
EVENT = "events/signal/signal_generate"

#: What an instance of ours is called: the number of its supervisor and when that was started, so that a left one is known.
NAME = re.compile(r"outlive-(\d{1,10})-(\d{1,20})")

#: For each processor; a machine sends few SIGKILLs.
BUFFER_KB = 8

#: Sent by a process (``kill``), or to one of its threads; the kernel's own have other codes.
BY_PROCESSES = ("0", "-6")
DELIVERED = "0"
KILL = re.compile(
    r"^[ ]{0,20}(?P<name>.{1,16}?)-(?P<sender>\d{1,10}) .{0,80}signal_generate: sig=9 errno=\d+ code=(?P<code>-?\d+) "
    r"comm=.{0,16} pid=(?P<target>\d+) grp=\d res=(?P<result>\d)"
)


class KillTrace:
    """A trace of every SIGKILL on this machine, from when it is opened until it is stopped."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    @classmethod
    def open(cls, host: Host) -> KillTrace | None:
        """Begin one; ``None`` where the kernel does not let us."""
        if has_own_pid_namespace():
            return None  # the kernel writes the numbers that processes have outside
        for instances in INSTANCES:
            above = host.root + instances
            if not os.access(above, os.W_OK):
                continue
            _remove_those_left(host, above)
            mine = process_stat(host, os.getpid())
            folder = os.path.join(above, f"outlive-{os.getpid()}-{mine.started if mine else 0}")
            try:
                os.mkdir(folder)
            except OSError:
                return None
            trace = cls(folder)
            if not trace.begin():
                trace.remove()
                return None
            return trace
        return None

    def begin(self) -> bool:
        """Whether the kernel notes from now on who sends SIGKILL."""
        try:
            # The size first: a buffer of the usual size takes 1.4 MB for each processor.
            self._say("buffer_size_kb", str(BUFFER_KB))
            self._say(f"{EVENT}/filter", "sig==9")
            self._say(f"{EVENT}/enable", "1")
        except OSError:
            return False
        return True

    def killer_of(self, pid: int) -> tuple[int, str] | None:
        """The number and the name of the process that sent SIGKILL to this one."""
        try:
            with open(os.path.join(self._folder, "trace"), errors="replace") as lines:
                return next(killers(lines, pid), None)
        except OSError:
            return None

    def stop(self) -> None:
        """Trace no more."""
        try:
            self._say(f"{EVENT}/enable", "0")
        except OSError:
            pass  # to be removed it need not be stopped

    def remove(self) -> None:
        """Let the kernel forget it: this takes it 50 ms."""
        try:
            os.rmdir(self._folder)
        except OSError:
            pass  # the next run tries again

    def _say(self, name: str, word: str) -> None:
        handle = os.open(os.path.join(self._folder, name), os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.write(handle, word.encode())
        finally:
            os.close(handle)


def killers(lines: Iterator[str], pid: int) -> Iterator[tuple[int, str]]:
    """Who sent a SIGKILL that reached this process, in the order of sending."""
    for line in lines:
        found = KILL.match(line[:400])
        if (
            found is not None
            and int(found["target"]) == pid != int(found["sender"])
            and found["code"] in BY_PROCESSES
            and found["result"] == DELIVERED
        ):
            yield int(found["sender"]), found["name"].strip()


def _remove_those_left(host: Host, above: str) -> None:
    """Those of supervisors that were killed themselves."""
    for name in os.listdir(above):
        ours = NAME.fullmatch(name)
        if ours is None:
            continue
        stat = process_stat(host, int(ours[1]))
        if stat is None or stat.started != int(ours[2]):
            KillTrace(os.path.join(above, name)).remove()
