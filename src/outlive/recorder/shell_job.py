"""The shell's job: the process group that this process leads, and its terminal, when the program has a group of its own.

A shell with job control makes its child the leader of a group. Bare, that child is the program: ``setpgrp`` changes nothing for a leader, and it
stays in the foreground. Here the leader is the supervisor, so ``setpgrp`` moves the program out of the job: what is sent to the job is then
sent on to the program's group, and the terminal is lent to it when it is stopped for using it (docs/adr/0017).
"""

from __future__ import annotations

import os

from outlive.inside.machine.plain_signal import signal

#: What the kernel sends to the group in the foreground, or to a job that lost its terminal.
FROM_THE_TERMINAL = frozenset(
    {
        *(signal.SIGINT, signal.SIGQUIT, signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU),
        *(signal.SIGHUP, signal.SIGCONT, signal.SIGWINCH),
    }
)

#: A process of the background that reads the terminal, or changes it, is stopped by one of these.
FOR_USING_THE_TERMINAL = frozenset({signal.SIGTTIN, signal.SIGTTOU})


class Job:
    """The group of this process."""

    def __init__(self) -> None:
        self._leads = os.getpgrp() == os.getpid()
        self._lent_to = 0

    def left_by(self, program: int) -> bool:
        """Whether the program leads a group of its own, where bare it would still lead this one."""
        try:
            return self._leads and os.getpgid(program) == program
        except OSError:
            return False

    def lend_terminal(self, program: int) -> bool:
        """Put the program's group in the foreground if this job is; whether that was done."""
        if not self.left_by(program) or not _hand_over(os.getpgrp(), program):
            return False
        self._lent_to = program
        return True

    def lend_again(self) -> None:
        """The job was continued: the terminal goes to whom it was lent, if it is this job's again."""
        if self._lent_to:
            _hand_over(os.getpgrp(), self._lent_to)

    def take_back(self) -> None:
        """The program is dead: the foreground is this group again, unless somebody else has taken it."""
        if self._lent_to:
            _hand_over(self._lent_to, os.getpgrp())


def _hand_over(before: int, after: int) -> bool:
    """Make one group the foreground if another is. SIGTTOU is blocked in the supervisor, so a background process may do it."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        if os.tcgetpgrp(terminal) != before:
            return False
        os.tcsetpgrp(terminal, after)
    except OSError:
        return False
    finally:
        os.close(terminal)
    return True
