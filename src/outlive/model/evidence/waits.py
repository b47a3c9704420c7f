"""Waiting: a program that stands still, and what its threads wait for."""

from __future__ import annotations

from dataclasses import field

from outlive.model.evidence.errors import Errors
from outlive.model.evidence.run import UNKNOWN_RUN, Run
from outlive.model.evidence.signals import Signals
from outlive.model.fact_names import RUN_TIME, TIME_WITHOUT_PROGRESS
from outlive.model.findings import EndingKind, Fact
from outlive.model.quick_dataclass import dataclass
from outlive.model.waits import Standstill, Waiting

#: What people and schedulers send to a program that hangs.
ENDED_BY_THE_IMPATIENT = ("SIGINT", "SIGTERM", "SIGKILL", "SIGHUP", "SIGQUIT")


#: A program that was told to end needs so long at most for what it does then.
SECONDS_TO_CLEAN_UP = 60.0


@dataclass(frozen=True, slots=True)
class Waits:
    """The standstill that the program was in."""

    standstill: Standstill | None = None  #: when it stood still, and did not go on until the end
    run: Run = field(default=UNKNOWN_RUN, repr=False, compare=False)
    signals: Signals = field(default=Signals(), repr=False, compare=False)
    errors: Errors = field(default=Errors(), repr=False, compare=False)

    @property
    def stuck(self) -> Standstill | None:
        """The standstill that the program did not get out of by itself: it still is in it, or somebody ended it there."""
        found = self.standstill
        if found is None or found.working:
            return None
        patience = self.run.ending.signal in ENDED_BY_THE_IMPATIENT or (
            self.errors.uncaught is not None and self.errors.uncaught.is_a("KeyboardInterrupt")
        )
        if self.run.ending.kind is EndingKind.HANG or patience or self._was_told_to_end(found):
            return found
        return None

    def _was_told_to_end(self, standstill: Standstill) -> bool:
        """Whether it got a signal while it stood still, and ended soon after, in its own way: a handler cleans up, and leaves with a status.

        A program that ends well at such a signal had waited for it.
        """
        ended = self.run.fact(RUN_TIME)
        if not self.run.failed or not isinstance(ended, int | float):
            return False
        return any(
            got.signal in ENDED_BY_THE_IMPATIENT
            and got.at is not None
            and got.at >= (standstill.at or 0.0)
            and ended - got.at <= SECONDS_TO_CLEAN_UP
            for got in self.signals.received
        )

    def facts_of(self, *threads: Waiting) -> tuple[Fact, ...]:
        """Where threads stand, what they wait for, and what they hold."""
        found: list[Fact] = []
        for thread in threads:
            worker = f" of process {thread.pid}" if thread.pid != self.run.program.pid else ""
            name = f"{thread.stack.thread}{worker}"
            at = f" at {thread.place}" if thread.place is not None else ""
            source = "its stack" + (f"; Linux: {thread.call}" if thread.call else "")
            found.append(Fact(name, f"is waiting for {thread.what}{at}", source))
            found += [
                Fact(f"{name} holds", f"`{held.name}`, taken at {held.place}", "its source code")
                for held in thread.holds
            ]
        if self.standstill is not None:
            still = round(self.standstill.seconds, 1)
            found.append(Fact(TIME_WITHOUT_PROGRESS, still, "CPU time and I/O from /proc"))
        return tuple(found)
