"""Questions about a program that ended itself."""

from __future__ import annotations

import signal

from outlive.evidence.signals import Signals
from outlive.model import Fact
from outlive.observed import Quit, Received
from outlive.senders import kernel_words

#: A status above this tells of a signal, by an old custom of shells.
SIGNALLED = 128


class Quits(Signals):
    """With the questions about calls that end a program."""

    __slots__ = ()

    def last_quit(self, call: str) -> Quit | None:
        """The program's last call of ``sys.exit`` or ``os._exit``, if that is what ended it with this status."""
        mine = [
            quit
            for quit in self.quits
            if quit.pid == self.program.pid and not quit.in_library("multiprocessing")
        ]
        if not mine or mine[-1].call != call or mine[-1].status != self.ending.exit_code:
            return None
        return mine[-1]

    def obeyed(self) -> tuple[Received, Quit] | None:
        """The signal of another process that the program left for of its own accord: with the status that a death by it would have had.

        What catches SIGTERM to save something and then calls ``sys.exit(143)`` was ended by whoever sent it.
        """
        code = self.ending.exit_code or 0
        call = self.last_quit("sys.exit") or self.last_quit("os._exit")
        try:
            name = signal.Signals(code - SIGNALLED).name
        except ValueError:
            return None
        got = self.sender_of(name)
        if call is None or got is None or not got.from_another:
            return None
        return got, call

    def aborted_at(self) -> Quit | None:
        """The program's own call of ``os.abort``, if that is what ended it."""
        if self.fatal_signal != "SIGABRT":
            return None
        mine = [q for q in self.quits if q.pid == self.program.pid and q.call == "os.abort"]
        return mine[-1] if mine else None

    def facts_before_quitting(self, call: Quit) -> tuple[Fact, ...]:
        """Why the program may have decided to end: the exception it was handling, a signal that it had received."""
        found = []
        if call.handling is not None:
            words = f"{call.handling.type}: {call.handling.message.strip()[:200]}"
            found.append(Fact("while handling", words, "the program"))
            if call.handling.own is not None:
                found.append(Fact("which was raised at", str(call.handling.own), "the program"))
        for name in ("SIGTERM", "SIGINT", "SIGHUP"):
            got = self.sender_of(name)
            if got is not None and not got.itself:
                who = self.words_for_sender(got) or kernel_words(name)
                found.append(Fact(f"received {name} before, from", who, "siginfo", private=True))
        return tuple(found)
