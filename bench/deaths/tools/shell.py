"""Bare Python in a shell: the exit status, and what a knowledgeable reader concludes from that alone.

Rules of our own, one a signal: the cause that people name first ("137 is out of memory"). A status of 1 is Python's for
an exception that nobody caught. A program that stands still is said to wait forever. A shell knows no lines.

Unfair to the reader, who also sees what was printed: that is the tool `traceback`.
"""

from __future__ import annotations

import signal

from tool import Answer, Ended, Tool

CONCLUDED = {
    signal.SIGKILL: "memory-limit-reached",
    signal.SIGSEGV: "native-op-crashed",
    signal.SIGABRT: "tf-check-failed",
    signal.SIGFPE: "division-in-op",
    signal.SIGILL: "illegal-instruction",
    signal.SIGBUS: "shared-memory-full",
    signal.SIGTERM: "terminated-by-process",
    signal.SIGUSR1: "terminated-by-process",
    signal.SIGUSR2: "terminated-by-process",
    signal.SIGHUP: "terminal-hung-up",
    signal.SIGINT: "interrupted",
    signal.SIGALRM: "alarm-not-cancelled",
    signal.SIGXCPU: "cpu-time-limit",
}
OF_PYTHON = 1


class Adapter(Tool):
    def answer(self, ended: Ended) -> Answer:
        if ended.hung:
            return Answer("waiting-forever")
        if ended.signal is not None:
            return Answer(CONCLUDED.get(signal.Signals(ended.signal)))
        if ended.status == 0:
            return Answer()
        return Answer("uncaught-exception" if ended.status == OF_PYTHON else "exited-by-program")
