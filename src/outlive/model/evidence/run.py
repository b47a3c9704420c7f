"""The run as a whole: what was run, how it ended, what was last seen and heard of it."""

from __future__ import annotations

import signal
from collections.abc import Mapping
from dataclasses import field

from outlive.model.events import Act, Program, Sample, Stack, Warned
from outlive.model.fact_names import FactName
from outlive.model.findings import Ending, EndingKind, Fact, Place, Value
from outlive.model.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Run:
    """The program that was run, its ending, and the facts that were read about both."""

    ending: Ending
    program: Program = field(default_factory=Program)
    facts: Mapping[str, Fact] = field(default_factory=dict)
    gaps: Mapping[str, str] = field(default_factory=dict)  #: fact name -> why it is missing
    samples: tuple[Sample, ...] = ()
    stacks: tuple[Stack, ...] = ()  #: the last that were seen, main thread first
    acts: tuple[Act, ...] = ()  #: what the program closed and cancelled
    warnings: tuple[Warned, ...] = ()  #: of the watches, in order
    log: str = ""  #: the last words on stderr

    def fact(self, name: FactName) -> Value:
        """The value of a fact, or ``None`` when it is missing."""
        found = self.facts.get(name)
        return found.value if found else None

    def because(self, *names: FactName) -> tuple[Fact, ...]:
        """Those of the named facts that are known."""
        return tuple(self.facts[name] for name in names if name in self.facts)

    @property
    def fatal_signal(self) -> str | None:
        """The signal that ended the program, also when a shell around it reports 128+n."""
        code = self.ending.exit_code
        if self.ending.signal or not (self.program.shell and code and code > 128):
            return self.ending.signal
        try:
            return signal.Signals(code - 128).name
        except ValueError:
            return None

    @property
    def failed(self) -> bool:
        """Whether the run ended in any way but well."""
        return self.ending.kind is not EndingKind.SUCCESS

    @property
    def busy(self) -> Place | None:
        """The user's line that ran last in the main thread, or else in any thread."""
        return next((place for stack in self.stacks if (place := stack.own)), None)


#: What a part rests on until the evidence joins it with the others.
UNKNOWN_RUN = Run(Ending(EndingKind.SUCCESS))
