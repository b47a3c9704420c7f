"""Questions about exceptions: which one ended the program, which were lost."""

from __future__ import annotations

import re

from outlive.evidence.known import Known
from outlive.model import Confidence, EndingKind, Place
from outlive.observed import Origin, Thrown
from outlive.waiting import Standstill

#: What people and schedulers send to a program that hangs.
ENDED_BY_THE_IMPATIENT = ("SIGINT", "SIGTERM", "SIGKILL", "SIGHUP", "SIGQUIT")

#: ``import a.b as c``, ``from a import b``.
IMPORTED = re.compile(r"(?:from|import)\s+(\w+)|.*import_module\(['\"](\w+)")


class Errors(Known):
    """With the questions about exceptions."""

    __slots__ = ()

    @property
    def uncaught(self) -> Thrown | None:
        """The exception that ended the program, if one did."""
        ended = [thrown for thrown in self.errors if thrown.origin is Origin.MAIN]
        own_pid = [thrown for thrown in ended if thrown.pid == self.program.pid]
        return next(reversed(own_pid or ended), None)

    @property
    def caught(self) -> Thrown | None:
        """The exception that the program caught and then ended itself for: while it handled it, or right after it had shown it.

        Of several that were shown nobody can tell which it was; a program that went on after it may have had another reason.
        """
        mine = [quit for quit in self.quits if quit.pid == self.program.pid]
        last = mine[-1] if mine and mine[-1].status == self.ending.exit_code else None
        if last is None or not last.status:
            return None
        if last.handling is None and len(self.shown) == 1:
            shown = self.shown[0]
            return shown if shown.left and last.follows(shown) else None
        return last.left_for

    @property
    def fatal_error(self) -> Thrown | None:
        """The exception that the program ended for: nobody caught it, or the program did and left."""
        return self.uncaught or self.caught

    @property
    def sure_of_fatal_error(self) -> Confidence:
        """Who catches an exception may have had other reasons to leave; nobody else has."""
        caught = self.uncaught is None and self.caught is not None
        return Confidence.LIKELY if caught else Confidence.PROVEN

    @property
    def lost_errors(self) -> tuple[Thrown, ...]:
        """Exceptions in the background that the program never asked for, oldest first."""
        return tuple(
            thrown for thrown in self.errors if thrown.origin is not Origin.MAIN and not thrown.seen
        )

    @property
    def stuck(self) -> Standstill | None:
        """The standstill that the program did not get out of by itself: it still is in it, or somebody ended it there."""
        found = self.standstill
        if found is None or found.working:
            return None
        patience = self.ending.signal in ENDED_BY_THE_IMPATIENT or (
            self.uncaught is not None and self.uncaught.is_a("KeyboardInterrupt")
        )
        return found if self.ending.kind is EndingKind.HANG or patience else None

    @property
    def last_errors(self) -> tuple[tuple[Thrown, Confidence], ...]:
        """The exceptions that ended the program, nearest first, each with how sure it is that it did.

        The uncaught one ended it; what was raised before it may have. A program that exits while it handles an exception mostly
        does so for its sake. Where nothing else is known, an error in the background that nobody asked for may be the reason.
        """
        if not self.failed:
            return ()
        error = self.fatal_error
        if error is not None:
            first, *before = error.chain()
            told_again = first.is_a("BaseExceptionGroup") or any(
                thrown.type.endswith("RemoteTraceback") for thrown in before
            )
            sure = self.sure_of_fatal_error if told_again else Confidence.LIKELY
            return ((first, self.sure_of_fatal_error), *((thrown, sure) for thrown in before))
        return tuple(
            (thrown, Confidence.LIKELY)
            for error in self.lost_errors[-1:]
            for thrown in error.chain()
        )

    def error_like(
        self, pattern: re.Pattern[str], *numbers: int
    ) -> tuple[Thrown, Confidence] | None:
        """The error that ended the program, if its text or its number is of this kind.

        Of several the first that was raised: closing a file that could not be written fails again.
        """
        alike = [
            (thrown, sure)
            for thrown, sure in self.last_errors
            if thrown.errno in numbers or pattern.search(thrown.message)
        ]
        return (alike[-1][0], alike[0][1]) if alike else None

    @property
    def busy(self) -> Place | None:
        """The user's line that ran last in the main thread, or else in any thread."""
        return next((place for stack in self.stacks if (place := stack.own)), None)

    def line_of(self, error: Thrown) -> Place | None:
        """The user's line that an error came from, or, for one that came from elsewhere, that it ended."""
        return error.own or (self.fatal_error.own if self.fatal_error else None) or self.busy

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
