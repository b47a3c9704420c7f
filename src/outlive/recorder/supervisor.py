"""The half that survives: start the program, pass everything through, sample it, wait, seal the evidence.

The program keeps the terminal, the process group, the descriptors and the working directory that it would have had. This process
only holds stderr (for the verdict), waits, and samples. If sampling fails, it still waits.

Imported before the program is started, so the heavier modules are loaded while the program is already running.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time

from outlive.inside.machine.plain_signal import signal
from outlive.inside.notes import links
from outlive.recorder.before_exec import with_own_number
from outlive.recorder.oom_score import ask_to_be_spared, be_as_given
from outlive.recorder.shell_job import FOR_USING_THE_TERMINAL, FROM_THE_TERMINAL, Job
from outlive.recorder.signals.witness import Witness

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Protocol
else:
    Protocol = object

INSIDE_PATH = os.path.join(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "inside", "start", "path"
)

#: Names in the environment that differ for the program; documented in docs/what-is-inside.md, held by a test.

#: Signals to the supervisor that are meant for the program: all that can be waited for, but those of its own children.
PASSED_ON = frozenset(signal.valid_signals()) - {signal.SIGKILL, signal.SIGSTOP, signal.SIGCHLD}
WAITED_FOR = PASSED_ON | {signal.SIGCHLD}

#: Of these nobody dies: they are passed on, and nothing is written about them.
JOB_CONTROL = frozenset(
    {signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU, signal.SIGCONT, signal.SIGWINCH}
)

#: By then the witness has it too, if it was sent to the whole group (the kernel gives it to all of them in one go).
SECONDS_BEFORE_PASSING_ON = 0.02

#: A witness that is stopped says nothing any more.
SECONDS_FOR_LAST_WORDS = 0.5

#: Of a container. It has no parent, adopts whoever has lost theirs, and bare it would be the program.
FIRST_PROCESS = 1

#: A program that is asked to end may want to clean up.
SECONDS_TO_END = 10.0


class NotStarted(Exception):
    """The program could not be started; the status that a shell would give."""

    def __init__(self, error: OSError) -> None:
        super().__init__(error.strerror or str(error))
        self.status = 127 if isinstance(error, FileNotFoundError) else 126


class Ended:
    """How the program ended, as the kernel says."""

    __slots__ = ("core", "exit_code", "pid", "signal", "usage")

    def __init__(self, pid: int, status: int, usage: Any) -> None:
        self.pid = pid
        self.usage = usage
        self.signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
        self.exit_code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
        self.core = os.WIFSIGNALED(status) and os.WCOREDUMP(status)


def environment_for(environment: Mapping[str, str], rings: str | None) -> dict[str, str]:
    """The program's environment: as it is, but for the two variables that load the recorder."""
    changed = dict(environment)
    if rings is not None:
        before = environment.get("PYTHONPATH")
        changed["PYTHONPATH"] = os.pathsep.join([INSIDE_PATH, before] if before else [INSIDE_PATH])
        changed[links.FOLDER_VARIABLE] = rings
    return changed


class Watcher(Protocol):
    """Who is told what the supervisor sees: the flight recorder, or nobody."""

    def sample_if_due(self) -> None: ...
    def seconds_to_next(self) -> float: ...
    def received(self, number: int, sender: int | None, uid: int) -> None: ...
    def stopped(self, number: int) -> None: ...
    def continued(self) -> None: ...
    def program_is_dead(self, killed: int | None) -> None: ...


class Blind:
    """Watches nothing: when nothing can be recorded, the program still runs and is waited for."""

    def sample_if_due(self) -> None:
        """Do nothing: no samples are taken."""

    def seconds_to_next(self) -> float:
        """Long, but a lost SIGCHLD must not be waited for for ever."""
        return 1.0

    def received(self, number: int, sender: int | None, uid: int) -> None:
        """Do nothing: signals are not noted."""

    def stopped(self, number: int) -> None:
        """Do nothing: a stop is not noted."""

    def continued(self) -> None:
        """Do nothing: without a record nothing is noted."""

    def program_is_dead(self, killed: int | None) -> None:
        """Do nothing: there is no record to complete."""


class Supervisor:
    """Runs one program. ``start`` returns at once, ``wait`` when the program is gone."""

    def __init__(
        self,
        command: Sequence[str],
        rings: str | None,
        keep_streams: bool = False,
        mask: Sequence[int] | None = None,
    ) -> None:
        self.command = list(command)
        self._keep_streams = keep_streams  # for another attempt
        self.rings = rings
        self.pid = 0
        found = signal.pthread_sigmask(signal.SIG_BLOCK, WAITED_FOR)
        #: What was blocked before anything of ours: for the program, and for another attempt.
        self.mask = frozenset(map(int, found if mask is None else mask))
        self._kill_at: float | None = None
        self._witness: Witness | None = None
        self._job = Job()
        self._parent = os.getppid()
        self._due: list[tuple[float, int, int]] = []  # when, which signal, from whom

    def start(self, environment: Mapping[str, str]) -> None:
        """Start the program with the signals, descriptors and folder that this process was given."""
        wanted = environment_for(environment, self.rings)
        command = with_own_number(self.command, wanted)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # where it is ignored children have no status
        self._witness = Witness(PASSED_ON)
        try:
            try:
                self.pid = self._spawn(command, wanted)
            except OSError as error:
                if error.errno != errno.ENOEXEC:
                    raise
                # a script without "#!" is run by sh, as shells and execvp do it
                script = _found(self.command[0], environment)
                self.pid = self._spawn(["/bin/sh", script, *self.command[1:]], wanted)
        except OSError as error:
            self._witness.end()
            signal.pthread_sigmask(signal.SIG_SETMASK, self.mask)
            raise NotStarted(error) from error
        ask_to_be_spared()
        if not self._keep_streams:
            _let_go_of_the_pipes()

    def _spawn(self, command: list[str], environment: Mapping[str, str]) -> int:
        # Python ignores these two in itself; a program must find them as they were.
        restored = [signal.SIGPIPE, signal.SIGXFSZ]
        return os.posix_spawnp(
            command[0], command, environment, setsigmask=self.mask, setsigdef=restored
        )

    def wait(self, flight: Watcher) -> Ended:
        """Until the program is gone: sample, pass signals on, stop and continue with it."""
        while True:
            flight.sample_if_due()
            next_due = min((at - time.monotonic() for at, _, _ in self._due), default=1.0)
            if self._kill_at is not None and time.monotonic() >= self._kill_at:
                self._kill_at = None
                _send(self.pid, signal.SIGKILL)
            pause = min(flight.seconds_to_next(), next_due)
            received = signal.sigtimedwait(WAITED_FOR, max(0.0, pause))
            if received is not None:
                self._handle(received, flight)
            self._pass_on_what_is_due()
            if os.getpid() == FIRST_PROCESS:
                self._reap_the_adopted()
            ended = self._look(flight)
            if ended is not None:
                self._pass_on_last_words()
                return ended

    def _pass_on_last_words(self) -> None:
        """What the program sent to its parent just before it ended. The rest stays pending: it is for whoever looks next."""
        others = []
        while received := signal.sigtimedwait(PASSED_ON, 0):
            if received.si_pid == self.pid and received.si_code <= 0:
                self._due.append((time.monotonic(), received.si_signo, self.pid))
            else:
                others.append(received.si_signo)
        for number in others:
            os.kill(os.getpid(), number)
        self._due = [entry for entry in self._due if entry[2] == self.pid]
        until = time.monotonic() + SECONDS_FOR_LAST_WORDS
        while self._due and time.monotonic() < until:
            time.sleep(SECONDS_BEFORE_PASSING_ON)
            self._pass_on_what_is_due()

    def _look(self, flight: Watcher) -> Ended | None:
        options = os.WEXITED | os.WSTOPPED | os.WNOHANG | os.WNOWAIT
        try:
            found = os.waitid(os.P_PID, self.pid, options)
        except ChildProcessError:
            be_as_given()
            return Ended(self.pid, 0, None)
        if found is None:
            return None
        if found.si_code in (os.CLD_STOPPED, os.CLD_TRAPPED):
            os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WNOHANG)
            if found.si_code == os.CLD_STOPPED:
                self._stopped(found.si_status, flight)
            return None
        be_as_given()
        self._job.take_back()
        killed = found.si_status if found.si_code in (os.CLD_KILLED, os.CLD_DUMPED) else None
        flight.program_is_dead(killed)  # it is still a zombie: everything about it can be read
        _, status, usage = os.wait4(self.pid, 0)
        return Ended(self.pid, status, usage)

    def _reap_the_adopted(self) -> None:
        """Orphans of a container become children of its first process. The program's own end is looked at elsewhere."""
        while True:
            try:
                found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if found is None or found.si_pid == self.pid:
                return
            os.waitpid(found.si_pid, os.WNOHANG)
            if self._witness:
                self._witness.was_reaped(found.si_pid)

    def _handle(self, received: Any, flight: Watcher) -> None:
        number, sender = received.si_signo, received.si_pid
        from_kernel = received.si_code > 0
        if number not in PASSED_ON or (not from_kernel and sender in self._ourselves()):
            return
        if number not in JOB_CONTROL:
            flight.received(number, None if from_kernel else sender, received.si_uid)
        if not from_kernel:
            self._due.append((time.monotonic() + SECONDS_BEFORE_PASSING_ON, number, sender))
        elif (
            number == signal.SIGALRM or (number == signal.SIGHUP and os.getsid(0) == os.getpid())
        ):  # an alarm set before the start, and a hang-up, which is told to the leader of the session alone
            self._due.append((0.0, number, 0))
        elif number in FROM_THE_TERMINAL and self._job.left_by(self.pid):
            self._pass_on_to_group(number)

    def _ourselves(self) -> tuple[int, ...]:
        return os.getpid(), self._witness.pid if self._witness else -1

    def _pass_on_what_is_due(self) -> None:
        now = time.monotonic()
        for entry in [entry for entry in self._due if entry[0] <= now]:
            self._due.remove(entry)
            at, number, sender = entry
            sent_to_all = self._witness.saw(number, sender) if at and self._witness else False
            if sent_to_all is None:
                self._due.append((now + SECONDS_BEFORE_PASSING_ON, number, sender))
            elif not sent_to_all:
                self._pass_on(number, sender)
            elif self._job.left_by(self.pid):
                self._pass_on_to_group(number)

    def _pass_on(self, number: int, sender: int) -> None:
        """To the program, or from the program to the parent that it would have had, if that still lives."""
        if sender != self.pid or os.getpid() == FIRST_PROCESS:
            _send(self.pid, number)
        elif os.getppid() == self._parent:
            _send(self._parent, number)

    def _pass_on_to_group(self, number: int) -> None:
        """What was sent to the whole job, to a program that has left it and leads a group of its own."""
        if number == signal.SIGCONT:
            self._job.lend_again()
        _send(-self.pid, number)

    def _stopped(self, number: int, flight: Watcher) -> None:
        if number in FOR_USING_THE_TERMINAL and self._job.lend_terminal(self.pid):
            _send(-self.pid, signal.SIGCONT)
        else:
            self._stop_too(number, flight)

    def _stop_too(self, number: int, flight: Watcher) -> None:
        """The shell waits for this process: when the program stops, stop likewise, and continue with it."""
        flight.stopped(number)
        if self._witness:
            self._witness.supervisor_stops(self.pid)
        if number != signal.SIGSTOP:
            while signal.sigtimedwait({number}, 0):
                pass  # the terminal told us too: one stop is enough
            signal.signal(number, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
        os.kill(
            os.getpid(), number
        )  # execution goes on here after SIGCONT, which is then passed on if need be
        if number != signal.SIGSTOP:
            signal.pthread_sigmask(signal.SIG_BLOCK, {number})
        flight.continued()

    def end(self) -> None:
        """Ask the program to end, and kill it if it has not after a while. Only where the person has asked for it: ADR 0016."""
        self._kill_at = time.monotonic() + SECONDS_TO_END
        _send(self.pid, signal.SIGTERM)

    def step_back(self, blocked: Sequence[int]) -> None:
        """Another will take this process's place: signals are as they were before the start, but for those that it shall find pending."""
        if self._witness:
            self._witness.end()
        signal.pthread_sigmask(signal.SIG_SETMASK, {*self.mask, *blocked})

    def end_like(self, ended: Ended) -> None:
        """End this process as the program ended: same status, same signal, no second core file."""
        try:
            sys.stderr.flush()
        except (OSError, ValueError, AttributeError):
            pass  # closed, full, or nobody reads it: the status is told all the same
        if self._witness:
            self._witness.end()
        if ended.signal is None:
            os._exit(ended.exit_code or 0)
        try:
            import resource

            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        except (ImportError, OSError, ValueError):
            pass
        try:
            signal.signal(ended.signal, signal.SIG_DFL)
        except (OSError, ValueError):
            pass  # SIGKILL, and the two that the C library keeps to itself
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {ended.signal})
        os.kill(os.getpid(), ended.signal)
        os._exit(128 + ended.signal)


def _send(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except (ProcessLookupError, PermissionError):
        pass


def _found(name: str, environment: Mapping[str, str]) -> str:
    """Where a command lies: itself, or in the first folder of PATH that has it."""
    if "/" in name:
        return name
    folders = environment.get("PATH", os.defpath).split(os.pathsep)
    paths = [os.path.join(folder or os.curdir, name) for folder in folders]
    return next((path for path in paths if os.access(path, os.X_OK)), name)


def hold_closed_streams() -> None:
    """Started with a standard stream closed (``2>&-``): no file of ours may be opened under its number.

    What is put there is closed again when the program is started, which finds its streams as closed as they were.
    """
    handle = 0
    while handle <= 2:
        handle = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    os.close(handle)


def _let_go_of_the_pipes() -> None:
    """A reader of the program's output must see its end when the program ends it, not when we do."""
    nothing = os.open(os.devnull, os.O_RDWR | os.O_CLOEXEC)
    for standard in (0, 1):
        os.dup2(nothing, standard, inheritable=False)
    os.close(nothing)
    try:
        numbers = [int(name) for name in os.listdir("/proc/self/fd")]
    except OSError:
        return
    for number in numbers:
        if number > 2 and _is_anothers_pipe(number):
            os.close(number)


def _is_anothers_pipe(number: int) -> bool:
    """Handed to us for the program, and somebody may wait for its end. (A file may hold a lock: it stays.)"""
    try:
        mode = os.fstat(number).st_mode
        return os.get_inheritable(number) and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)
    except OSError:
        return False
