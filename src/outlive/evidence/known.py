"""What was written down about one run, and how it ended."""

from __future__ import annotations

import signal as signals
from collections.abc import Mapping
from dataclasses import dataclass, field

from outlive.circumstances import Circumstances
from outlive.data_use import Inspection, Scene
from outlive.memory_looks import Looks
from outlive.memory_use import Growth, Holder, Stage, Traced
from outlive.model import Ending, EndingKind, Fact, Place, Value
from outlive.observed import (
    Act,
    Cell,
    ChildDeath,
    Crash,
    Group,
    OomLine,
    Program,
    Quit,
    Received,
    Sample,
    Saving,
    Sent,
    Stack,
    Thrown,
    TimerSet,
)
from outlive.waiting import Standstill


@dataclass(frozen=True, slots=True)
class Known:
    """What is known about one run, without any question asked of it."""

    ending: Ending
    program: Program = field(default_factory=Program)
    facts: Mapping[str, Fact] = field(default_factory=dict)
    gaps: Mapping[str, str] = field(default_factory=dict)  #: fact name -> why it is missing
    samples: tuple[Sample, ...] = ()
    groups: tuple[Group, ...] = ()
    oom_lines: tuple[OomLine, ...] | None = None  #: None: the kernel's log could not be read
    stacks: tuple[Stack, ...] = ()  #: the last that were seen, main thread first
    errors: tuple[Thrown, ...] = ()
    quits: tuple[Quit, ...] = ()
    shown: tuple[Thrown, ...] = ()  #: exceptions whose traceback the program itself printed
    signals: tuple[Received, ...] = ()
    sent: tuple[Sent, ...] = ()
    timers: tuple[TimerSet, ...] = ()
    children: tuple[ChildDeath, ...] = ()
    crash: Crash | None = None
    operation_line: Place | None = None  #: the only line of the source that asks for what crashed
    library_line: Place | None = None  #: the only one that loads the library in which it crashed
    growths: Mapping[int, Growth] = field(default_factory=dict)  #: by process
    holders: Mapping[int, tuple[Holder, ...]] = field(
        default_factory=dict
    )  #: by process, largest first
    traced: Mapping[int, tuple[Traced, ...]] = field(
        default_factory=dict
    )  #: by process, the most traced first
    looks: Mapping[int, Looks] = field(default_factory=dict)  #: by process
    stages: tuple[Stage, ...] = ()
    standstill: Standstill | None = None  #: when it stood still, and did not go on until the end
    acts: tuple[Act, ...] = ()  #: what the program closed and cancelled
    brakes: tuple[float, ...] = ()  #: when the brake stopped its code, in seconds since the start
    saving: Saving = field(default_factory=Saving)
    forks_by_name: tuple[Place, ...] = ()  #: lines that ask `multiprocessing` for a fork
    scene: Scene = field(default_factory=Scene)
    inspection: Inspection = field(default_factory=Inspection)
    log: str = ""
    cells: tuple[Cell, ...] = ()  #: of a notebook, in the order in which they were run
    notebook: tuple[str, ...] = ()  #: all its cells in the order of the file, when that is known
    circumstances: Circumstances = field(default_factory=Circumstances)

    def fact(self, name: str) -> Value:
        """The value of a fact, or ``None`` when it is missing."""
        found = self.facts.get(name)
        return found.value if found else None

    def because(self, *names: str) -> tuple[Fact, ...]:
        """Those of the named facts that are known."""
        return tuple(self.facts[name] for name in names if name in self.facts)

    @property
    def fatal_signal(self) -> str | None:
        """The signal that ended the program, also when a shell around it reports 128+n."""
        code = self.ending.exit_code
        if self.ending.signal or not (self.program.shell and code and code > 128):
            return self.ending.signal
        try:
            return signals.Signals(code - 128).name
        except ValueError:
            return None

    @property
    def failed(self) -> bool:
        """Whether the run ended in any way but well."""
        return self.ending.kind is not EndingKind.SUCCESS
