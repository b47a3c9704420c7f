"""Exits: a program that ended itself."""

from __future__ import annotations

import signal
from dataclasses import field

from outlive.model.events import Quit, Received
from outlive.model.evidence.run import UNKNOWN_RUN, Run
from outlive.model.evidence.signals import Signals
from outlive.model.findings import Fact
from outlive.model.quick_dataclass import dataclass
from outlive.model.sender_names import kernel_words

#: A status above this tells of a signal, by an old custom of shells.
SIGNALLED = 128


@dataclass(frozen=True, slots=True)
class Exits:
    """The calls with which the program ended itself."""

    quits: tuple[Quit, ...] = ()
    run: Run = field(default=UNKNOWN_RUN, repr=False, compare=False)
    signals: Signals = field(default=Signals(), repr=False, compare=False)

    def last(self, call: str) -> Quit | None:
        """The program's last call of ``sys.exit`` or ``os._exit``, if that is what ended it with this status."""
        mine = [
            quit
            for quit in self.quits
            if quit.pid == self.run.program.pid and not quit.in_library("multiprocessing")
        ]
        if not mine or mine[-1].call != call or mine[-1].status != self.run.ending.exit_code:
            return None
        return mine[-1]

    def obeyed(self) -> tuple[Received, Quit] | None:
        """The signal of another process that the program left for of its own accord: with the status that a death by it would have had.

        What catches SIGTERM to save something and then calls ``sys.exit(143)`` was ended by whoever sent it.
        """
        code = self.run.ending.exit_code or 0
        call = self.last("sys.exit") or self.last("os._exit")
        try:
            name = signal.Signals(code - SIGNALLED).name
        except ValueError:
            return None
        got = self.signals.sender_of(name)
        if call is None or got is None or not got.from_another:
            return None
        return got, call

    def facts_before(self, call: Quit) -> tuple[Fact, ...]:
        """Why the program may have decided to end: the exception it was handling, a signal that it had received."""
        found = []
        if call.handling is not None:
            words = f"{call.handling.type}: {call.handling.message.strip()[:200]}"
            found.append(Fact("while handling", words, "the program"))
            if call.handling.own is not None:
                found.append(Fact("which was raised at", str(call.handling.own), "the program"))
        for name in ("SIGTERM", "SIGINT", "SIGHUP"):
            got = self.signals.sender_of(name)
            if got is not None and not got.itself:
                who = self.signals.words_for_sender(got) or kernel_words(name)
                found.append(Fact(f"received {name} before, from", who, "siginfo", private=True))
        return tuple(found)
