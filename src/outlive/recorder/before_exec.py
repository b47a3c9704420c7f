"""What a program can only be given by a process that then becomes the program: it goes with the process's own number.

The program is started by ``posix_spawn``, which knows nothing of these. Where one of them is needed a short script of Python comes between; it
has the number that the program will have, and is replaced by it.

- SIGCHLD ignored: a supervisor that ignores it gets no status, so only the program may.
- ``LISTEN_PID``, ``WATCHDOG_PID`` of systemd: name the one process that they are meant for.
- The signal for the death of a parent, if it is SIGKILL: the supervisor cannot pass that on, so it sets a chain.
"""

from __future__ import annotations

import os
import sys

from outlive.inside.machine.plain_signal import signal

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Mapping

#: Variables of systemd that hold the number of the process that they are for (sd_listen_fds(3), sd_watchdog_enabled(3)).
FOR_ONE_PROCESS = ("LISTEN_PID", "WATCHDOG_PID")

#: The same process by another number, which the program cannot have; without it systemd's library goes by LISTEN_PID alone.
ANOTHER_NUMBER = "LISTEN_PIDFDID"

IGNORES_CHILDREN = "SIGCHLD"
DIES_WITH_PARENT = "parent"

#: ``PR_GET_PDEATHSIG`` of prctl.
GET_SIGNAL_OF_PARENTS_DEATH = 2

#: Its arguments: the supervisor's number, what is wanted, the command.
SCRIPT = """import errno, os, signal, sys
parent, wanted, command = int(sys.argv[1]), sys.argv[2].split(","), sys.argv[3:]
for number in (signal.SIGPIPE, signal.SIGXFSZ):
    signal.signal(number, signal.SIG_DFL)
for name in wanted:
    if name == "SIGCHLD":
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    elif name == "parent":
        import ctypes
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)
    else:
        os.environ[name] = str(os.getpid())
try:
    try:
        os.execvp(command[0], command)
    except OSError as error:
        if error.errno != errno.ENOEXEC:
            raise
        import shutil  # a script without "#!" is run by sh, as shells and execvp do it
        os.execv("/bin/sh", ["/bin/sh", shutil.which(command[0]) or command[0], *command[1:]])
except OSError as error:
    print(f"outlive: Cannot run {command[0]!r}: {error.strerror}.", file=sys.stderr)
    sys.exit(127 if isinstance(error, FileNotFoundError) else 126)
"""


def with_own_number(command: list[str], environment: dict[str, str]) -> list[str]:
    """The command, with the script before it where it is needed; what cannot fit leaves the environment."""
    wanted = wanted_for(environment)
    if not wanted:
        return command
    if "LISTEN_PID" in wanted:
        environment.pop(ANOTHER_NUMBER, None)
    return [sys.executable, "-ISc", SCRIPT, str(os.getpid()), ",".join(wanted), *command]


def wanted_for(environment: Mapping[str, str]) -> list[str]:
    """List what this process was given for its own number, and the program would have been given without Outlive."""
    wanted = [name for name in FOR_ONE_PROCESS if environment.get(name) == str(os.getpid())]
    if signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN:
        wanted.append(IGNORES_CHILDREN)
    if _signal_of_parents_death() == signal.SIGKILL:
        wanted.append(DIES_WITH_PARENT)
    return wanted


def _signal_of_parents_death() -> int:
    """Which signal this process gets when its parent dies (PR_SET_PDEATHSIG). All of ``ctypes`` would cost 12 ms of every start."""
    try:
        import _ctypes

        class Number(_ctypes._SimpleCData):  # type: ignore[type-arg]
            _type_ = "i"

        class Function(_ctypes.CFuncPtr):
            _flags_ = _ctypes.FUNCFLAG_CDECL
            _restype_ = Number

        found = Number()
        prctl = Function(_ctypes.dlsym(_ctypes.dlopen(None, 0), "prctl"))  # type: ignore[arg-type]
        prctl(GET_SIGNAL_OF_PARENTS_DEATH, _ctypes.byref(found))
    except (
        Exception
    ):  # a private module: without it nothing is known, and nothing is lost that was there before
        return 0
    return int(found.value)
