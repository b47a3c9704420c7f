"""Exceptions: which one ended the program, which were lost."""

from __future__ import annotations

import re
from dataclasses import field

from outlive.model.events import POOL_THREADS, Origin, Thrown
from outlive.model.evidence.exits import Exits
from outlive.model.evidence.run import UNKNOWN_RUN, Run
from outlive.model.findings import Confidence, Place
from outlive.model.patterns import bounded
from outlive.model.quick_dataclass import dataclass

#: ``import a.b as c``, ``from a import b``.
IMPORTED = bounded(r"(?:from|import)\s+(\w+)|.*import_module\(['\"](\w+)")


@dataclass(frozen=True, slots=True)
class Errors:
    """The exceptions that were raised in the program and its children."""

    thrown: tuple[Thrown, ...] = ()
    shown: tuple[Thrown, ...] = ()  #: exceptions whose traceback the program itself printed
    logged: tuple[Thrown, ...] = ()  #: that threads caught, and went on after logging something
    run: Run = field(default=UNKNOWN_RUN, repr=False, compare=False)
    exits: Exits = field(default=Exits(), repr=False, compare=False)

    @property
    def uncaught(self) -> Thrown | None:
        """The exception that ended the program, if one did."""
        ended = [thrown for thrown in self.thrown if thrown.origin is Origin.MAIN]
        own_pid = [thrown for thrown in ended if thrown.pid == self.run.program.pid]
        return next(reversed(own_pid or ended), None)

    @property
    def caught(self) -> Thrown | None:
        """The exception that the program caught and then ended itself for: while it handled it, or right after it had shown it.

        Of several that were shown nobody can tell which it was; a program that went on after it may have had another reason.
        """
        mine = [quit for quit in self.exits.quits if quit.pid == self.run.program.pid]
        last = mine[-1] if mine and mine[-1].status == self.run.ending.exit_code else None
        if last is None or not last.status:
            return None
        if last.handling is None and len(self.shown) == 1:
            shown = self.shown[0]
            return shown if shown.left and last.follows(shown) else None
        return last.left_for

    @property
    def fatal(self) -> Thrown | None:
        """The exception that the program ended for: nobody caught it, or the program did and left."""
        return self.uncaught or self.caught

    @property
    def sure_of_fatal(self) -> Confidence:
        """Who catches an exception may have had other reasons to leave; nobody else has."""
        caught = self.uncaught is None and self.caught is not None
        return Confidence.LIKELY if caught else Confidence.PROVEN

    def sure_of(self, thrown: Thrown, seen: bool = False) -> Confidence:
        """How sure it is that an exception tells the truth about what ended the program.

        A library that raises it has met what it complains of. What the program itself raises are words, true or not: they are no more than
        possible, and likely where the same was ``seen`` in the world, in a file or a counter.
        """
        if not self._said_by_program(thrown):
            return self.sure_of_fatal
        return min(self.sure_of_fatal, Confidence.LIKELY if seen else Confidence.POSSIBLE)

    def _said_by_program(self, thrown: Thrown) -> bool:
        """Whether it was raised by the program's own code, or only stands in the text of one that was."""
        error = self.fatal
        return thrown.raised_by_program or (
            not thrown.frames and error is not None and error.raised_by_program
        )

    @property
    def only_words(self) -> bool:
        """Whether the program ended for an exception that its own code raised, and that hands no other on."""
        error = self.fatal
        return error is not None and all(map(self._said_by_program, error.passed_on()))

    @property
    def lost(self) -> tuple[Thrown, ...]:
        """Exceptions in the background that the program never asked for, oldest first."""
        return tuple(
            thrown for thrown in self.thrown if thrown.origin is not Origin.MAIN and not thrown.seen
        )

    def raiser(self, thrown: Thrown) -> str:
        """The thread that raised an exception, in words; nothing where it was stored and raised again, and nobody knows by whom at first."""
        if not thrown.raised_again:
            main = thrown.thread in ("", "MainThread")
            return "the main thread" if main else f"the thread {thrown.thread}"
        for stored in self.thrown:
            if (
                stored.origin is not Origin.MAIN
                and not stored.raised_again
                and stored.thread not in ("", "MainThread")
                and (stored.type, stored.message, stored.pid)
                == (thrown.type, thrown.message, thrown.pid)
                and any(frame.file.endswith(POOL_THREADS[0]) for frame in stored.frames)
            ):
                return f"the thread {stored.thread}"
        return "a thread of a pool" if thrown.through_pool else ""

    @property
    def last(self) -> tuple[tuple[Thrown, Confidence], ...]:
        """The exceptions that ended the program, nearest first, each with how sure it is that it did.

        The uncaught one ended it; what was raised before it may have. A program that exits while it handles an exception mostly
        does so for its sake. Where nothing else is known, an error in the background that nobody asked for may be the reason.
        """
        if not self.run.failed:
            return ()
        error = self.fatal
        if error is not None:
            first, *before = error.chain()
            told_again = first.is_a("BaseExceptionGroup") or any(
                thrown.type.endswith("RemoteTraceback") for thrown in before
            )
            sure = self.sure_of_fatal if told_again else Confidence.LIKELY
            return (
                (first, self.sure_of(first)),
                *((thrown, min(sure, self.sure_of(thrown))) for thrown in before),
            )
        return tuple(
            (thrown, min(Confidence.LIKELY, self.sure_of(thrown)))
            for error in self.lost[-1:]
            for thrown in error.chain()
        )

    def like(self, pattern: re.Pattern[str], *numbers: int) -> tuple[Thrown, Confidence] | None:
        """The error that ended the program, if its text or its number is of this kind.

        Of several the first that was raised: closing a file that could not be written fails again.
        """
        alike = [
            (thrown, sure)
            for thrown, sure in self.last
            if thrown.errno in numbers or pattern.search(thrown.message)
        ]
        return (alike[-1][0], alike[0][1]) if alike else None

    def line_of(self, error: Thrown) -> Place | None:
        """The user's line that an error came from, or, for one that came from elsewhere, that it ended."""
        return error.own or (self.fatal.own if self.fatal else None) or self.run.busy

    def importing(self, error: Thrown, but: tuple[str, ...] = ()) -> str:
        """What was being imported when an error was raised: an installed package, or the user's own module."""
        if error.module and error.module.partition(".")[0] not in but:
            return error.module.partition(".")[0]
        for frame in error.frames:
            if frame.package and frame.package not in but:
                return frame.package
            if frame.own and (named := IMPORTED.match(frame.code)):
                return named[1] or named[2]
        return ""
