"""A death in native code: what struck, in whose code, at which line."""

from __future__ import annotations

from dataclasses import field

from outlive.model.crash import Site
from outlive.model.events import Crash, Quit, Stack
from outlive.model.evidence.exits import Exits
from outlive.model.evidence.run import UNKNOWN_RUN, Run
from outlive.model.evidence.signals import Signals
from outlive.model.findings import Fact, Place
from outlive.model.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class NativeCrash:
    """The report of a crash in native code, and the lines of the source that it is about."""

    report: Crash | None = None
    operation_line: Place | None = None  #: the only line of the source that asks for what crashed
    library_line: Place | None = None  #: the only one that loads the library in which it crashed
    run: Run = field(default=UNKNOWN_RUN, repr=False, compare=False)
    signals: Signals = field(default=Signals(), repr=False, compare=False)
    exits: Exits = field(default=Exits(), repr=False, compare=False)

    def faulted(self, *names: str) -> bool:
        """Whether the program ended by one of these signals because of what it did, not because somebody sent it."""
        name = self.run.fatal_signal
        if name is None or name not in names or self.signals.sent_to_itself(name) is not None:
            return False
        if self.aborted_at() is not None:
            return False
        got = self.signals.sender_of(name)
        if got is None or got.sender_pid is None:
            return True
        return (
            got.itself and name == "SIGABRT" and not self.raised_abort
        )  # abort() sends it to its own thread

    @property
    def raised_abort(self) -> bool:
        """Whether SIGABRT was sent by Python code (os.abort, signal.raise_signal) rather than by a check in native code."""
        if self.aborted_at() is not None:
            return True
        site = self.site
        return site is not None and len(site.call) < len(site.frames) and not site.aborted

    def aborted_at(self) -> Quit | None:
        """The program's own call of ``os.abort``, if that is what ended it."""
        if self.run.fatal_signal != "SIGABRT":
            return None
        mine = [
            q for q in self.exits.quits if q.pid == self.run.program.pid and q.call == "os.abort"
        ]
        return mine[-1] if mine else self._aborting_line()

    def _aborting_line(self) -> Quit | None:
        """The call, where it could not be written down (a full disk) but the crashing thread stands on it."""
        frames = self.report.stacks[0].frames if self.report and self.report.stacks else ()
        if not frames or not frames[0].own or "os.abort(" not in frames[0].code:
            return None
        return Quit("os.abort", None, frames, self.run.program.pid)

    @property
    def line(self) -> Place | None:
        """The user's line in the crashing thread, or else in any thread at the crash."""
        stacks = self.report.stacks if self.report else ()
        return next((place for stack in stacks if (place := stack.own)), None)

    @property
    def finishing(self) -> bool:
        """Whether the main thread crashed in a function that Python itself had called, as it does while it ends."""
        site, crash = self.site, self.report
        if site is None or not site.main_thread or crash is None or self.run.program.finished:
            return False
        return crash.begins_outside_a_module

    @property
    def site(self) -> Site | None:
        """Where in native code the program's own death struck."""
        name = self.run.fatal_signal
        mine = [
            got.site
            for got in self.signals.received
            if got.site is not None and got.signal == name and got.pid in self.run.program.own_pids
        ]
        return mine[-1] if mine else None

    @property
    def tensorflow_call(self) -> Stack | None:
        """The Python stack that had called TensorFlow when the program crashed in native code, if that is where it crashed.

        The native frames decide, where they say anything; without them the innermost Python frame does.
        """
        site, crash = self.site, self.report
        inside = site.in_tensorflow if site is not None else None
        if inside is False:
            return None
        stack = crash.stack_in("tensorflow", "keras", "tf_keras") if crash is not None else None
        if stack is None and inside:
            stacks = crash.stacks if crash is not None else self.run.stacks
            return next((found for found in stacks if found.own), Stack("", ()))
        return stack

    @property
    def aborted_unseen(self) -> bool:
        """Whether the program called ``os.abort`` and only the native frames tell of it: nothing could be noted in it."""
        site, crash = self.site, self.report
        aborted = self.run.fatal_signal == "SIGABRT" and site is not None and site.aborted_by_python
        return aborted and crash is not None and crash.headline == "Aborted"

    def facts(self) -> tuple[Fact, ...]:
        """What is known about a death in native code: its headline, the code at the top, the address."""
        found = []
        if self.report is not None:
            found.append(Fact("fatal error", self.report.headline, "faulthandler"))
        site = self.site
        if site is not None:
            by_kernel = "the kernel log"
            source = "Outlive's crash handler and the symbols of the mapped files"
            if site.frames:
                source = source if site.counter else by_kernel
                found.append(Fact("native frames", site.words_for_frames(), source))
            if site.fault is not None and site.fault.words:
                source = "siginfo and /proc/PID/maps" if site.counter or site.code else by_kernel
                found.append(Fact("address", site.fault.words, source))
            got = self.signals.sender_of(self.run.fatal_signal or "")
            if got is not None and got.thread and not site.main_thread:
                found.append(Fact("thread", got.thread, "named by Linux", private=True))
        return tuple(found)
