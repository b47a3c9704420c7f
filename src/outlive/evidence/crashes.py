"""Questions about a death in native code: what struck, in whose code, at which line."""

from __future__ import annotations

from outlive.crash_site import Site
from outlive.evidence.quits import Quits
from outlive.model import Fact, Place
from outlive.observed import Stack

#: What Python calls while a pipeline works in threads of its own.
ITERATOR_OPERATIONS = frozenset({"makeiterator", "iteratorgetnext", "iteratorgetnextsync"})

#: Nobody has so many elements: a parameter like this stands for "all", and native code takes it at its word.
ABSURDLY_MANY = 1 << 31


class Crashes(Quits):
    """With the questions about crashes."""

    __slots__ = ()

    def faulted(self, *names: str) -> bool:
        """Whether the program ended by one of these signals because of what it did, not because somebody sent it."""
        name = self.fatal_signal
        if name is None or name not in names or self.sent_to_itself(name) is not None:
            return False
        got = self.sender_of(name)
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

    @property
    def crash_line(self) -> Place | None:
        """The user's line in the crashing thread, or else in any thread at the crash."""
        stacks = self.crash.stacks if self.crash else ()
        return next((place for stack in stacks if (place := stack.own)), None)

    @property
    def finishing(self) -> bool:
        """Whether the main thread crashed in a function that Python itself had called, as it does while it ends."""
        site, crash = self.site, self.crash
        if site is None or not site.main_thread or crash is None or self.program.finished:
            return False
        return crash.begins_outside_a_module

    @property
    def site(self) -> Site | None:
        """Where in native code the program's own death struck."""
        name = self.fatal_signal
        mine = [
            got.site
            for got in self.signals
            if got.site is not None and got.signal == name and got.pid in self.program.own_pids
        ]
        return mine[-1] if mine else None

    @property
    def tensorflow_call(self) -> Stack | None:
        """The Python stack that had called TensorFlow when the program crashed in native code, if that is where it crashed.

        The native frames decide, where they say anything; without them the innermost Python frame does.
        """
        site, crash = self.site, self.crash
        inside = site.in_tensorflow if site is not None else None
        if inside is False:
            return None
        stack = crash.stack_in("tensorflow", "keras", "tf_keras") if crash is not None else None
        if stack is None and inside:
            stacks = crash.stacks if crash is not None else self.stacks
            return next((found for found in stacks if found.own), Stack("", ()))
        return stack

    def operation_of(self, stack: Stack) -> tuple[Place | None, str]:
        """The user's line that a crash in TensorFlow is about, and how it is known.

        Where Python itself had called the kernel, that is the line it stood on. Otherwise it waited for a pipeline or a graph.
        """
        kernel, operation = self.site.kernel if self.site else "", stack.tensorflow_operation
        called = (operation or "").replace("_", "")
        if called and called not in ITERATOR_OPERATIONS and kernel.lower().startswith(called):
            return stack.own, ""
        if self.operation_line is not None:
            return self.operation_line, "the only line of the source that asks for it"
        if called in ITERATOR_OPERATIONS:
            endless = [stage for stage in self.stages if stage.buffer >= ABSURDLY_MANY]
            if len(endless) == 1 and endless[0].place is not None:
                return endless[
                    0
                ].place, f"a stage of the pipeline, told to take {endless[0].buffer}"
        return stack.own, ""

    def facts_of_crash(self) -> tuple[Fact, ...]:
        """What is known about a death in native code: its headline, the code at the top, the address."""
        found = []
        if self.crash is not None:
            found.append(Fact("fatal error", self.crash.headline, "faulthandler in the program"))
        site = self.site
        if site is not None:
            by_kernel = "the kernel's log"
            source = "the handler in the program, and the symbols of the mapped files"
            if site.frames:
                source = source if site.counter else by_kernel
                found.append(Fact("native frames", site.words_for_frames(), source))
            if site.fault is not None and site.fault.words:
                source = "siginfo and /proc/PID/maps" if site.counter or site.code else by_kernel
                found.append(Fact("address", site.fault.words, source))
            got = self.sender_of(self.fatal_signal or "")
            if got is not None and got.thread and not site.main_thread:
                found.append(Fact("thread", got.thread, "the kernel's name of it", private=True))
        return tuple(found)
