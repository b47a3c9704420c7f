"""View: all that is known about one run; what causes are asked of.

Frozen and picklable, so that it can be stored, replayed, and judged on another machine. The evidence is composed of parts, one a
subject, and each part answers the questions about its own: ``evidence.memory.oom_kill()``, ``evidence.crash.line``. A part that needs
another one to answer holds it, and knows none of those that rest on itself. A question that two causes ask is answered here, never in one
of them.
"""

from __future__ import annotations

from dataclasses import field, replace

from outlive.model.data import Inspection, Scene
from outlive.model.events import ChildDeath, Saving, Stack, Thrown
from outlive.model.evidence.children import Children
from outlive.model.evidence.crash import NativeCrash
from outlive.model.evidence.errors import Errors
from outlive.model.evidence.exits import Exits
from outlive.model.evidence.growth import MemoryGrowth
from outlive.model.evidence.memory import Memory
from outlive.model.evidence.notebook import Notebook
from outlive.model.evidence.pipelines import Pipelines
from outlive.model.evidence.run import Run
from outlive.model.evidence.signals import Signals
from outlive.model.evidence.waits import Waits
from outlive.model.findings import Ending, EndingKind, Place
from outlive.model.quick_dataclass import dataclass
from outlive.model.surroundings_at_death import Circumstances, Installation, Room

__all__ = [
    "Children",
    "Circumstances",
    "Errors",
    "Evidence",
    "Exits",
    "Installation",
    "Memory",
    "MemoryGrowth",
    "NativeCrash",
    "Notebook",
    "Pipelines",
    "Room",
    "Run",
    "Signals",
    "Thrown",
    "Waits",
]

#: What Python calls while a pipeline works in threads of its own.
ITERATOR_OPERATIONS = frozenset({"makeiterator", "iteratorgetnext", "iteratorgetnextsync"})

#: Nobody has so many elements: a parameter like this stands for "all", and native code takes it at its word.
ABSURDLY_MANY = 1 << 31


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that is known about one run; the only argument that a cause receives."""

    run: Run
    signals: Signals = field(default_factory=Signals)
    exits: Exits = field(default_factory=Exits)
    crash: NativeCrash = field(default_factory=NativeCrash)
    errors: Errors = field(default_factory=Errors)
    waits: Waits = field(default_factory=Waits)
    children: Children = field(default_factory=Children)
    memory: Memory = field(default_factory=Memory)
    growth: MemoryGrowth = field(default_factory=MemoryGrowth)
    pipelines: Pipelines = field(default_factory=Pipelines)
    notebook: Notebook = field(default_factory=Notebook)
    scene: Scene = field(default_factory=Scene)
    inspection: Inspection = field(default_factory=Inspection)
    saving: Saving = field(default_factory=Saving)
    circumstances: Circumstances = field(default_factory=Circumstances)

    def __post_init__(self) -> None:
        """Join the parts: give each one those of this evidence that it rests on.

        So ``replace(evidence, run=…)`` changes the run for every part, and a part may be made without the others.
        """
        signals = replace(self.signals, run=self.run)
        exits = replace(self.exits, run=self.run, signals=signals)
        crash = replace(self.crash, run=self.run, signals=signals, exits=exits)
        errors = replace(self.errors, run=self.run, exits=exits)
        waits = replace(self.waits, run=self.run, signals=signals, errors=errors)
        children = replace(self.children, run=self.run, errors=errors, waits=waits)
        memory = replace(
            self.memory,
            run=self.run,
            signals=signals,
            crash=crash,
            errors=errors,
            children=children,
            circumstances=self.circumstances,
        )
        growth = replace(self.growth, run=self.run, memory=memory)
        pipelines = replace(self.pipelines, run=self.run, memory=memory)
        joined = {
            "signals": signals,
            "exits": exits,
            "crash": crash,
            "errors": errors,
            "waits": waits,
            "children": children,
            "memory": memory,
            "growth": growth,
            "pipelines": pipelines,
        }
        for name, part in joined.items():
            object.__setattr__(self, name, part)

    def of_crashed_worker(self) -> tuple[ChildDeath, Evidence] | None:
        """What is known of the worker whose death the program failed of, or waits for ever because of: as if it had been run.

        Only of one that nobody in the program ended, and only when the program had to do with it: it was told that its pool is
        broken, or it waits.
        """
        error = self.errors.uncaught
        errors = [*(error.chain() if error is not None else ()), *self.errors.lost]
        told = any(thrown.is_a("BrokenProcessPool", "BrokenExecutor") for thrown in errors)
        if (self.run.fatal_signal or not told) and self.waits.stuck is None:
            return None
        named = {line.pid for line in self.memory.oom_lines or ()}
        counted = any(group.killed_during_run for group in self.memory.groups[:1])
        for child in self.children.deaths:
            ended = self.signals.killed_by_family() | named
            if child.asked or child.pid in ended or not (child.signal or child.exit_code):
                continue
            if child.signal == "SIGKILL" and counted:
                continue
            return child, self.of_child(child)
        return None

    def of_child(self, child: ChildDeath) -> Evidence:
        """What is known of a child that died, as if it had been run."""
        kind = EndingKind.SIGNAL if child.signal else EndingKind.EXIT
        program = replace(
            self.run.program, pid=child.pid, own_pids=frozenset({child.pid}), finished=False
        )
        ending = Ending(kind, child.signal, child.exit_code)
        received = tuple(got for got in self.signals.received if got.pid == child.pid)
        report = self.crash.report
        thrown = tuple(thrown for thrown in self.errors.thrown if thrown.pid == child.pid)
        return replace(
            self,
            run=replace(self.run, ending=ending, program=program, stacks=()),
            signals=replace(self.signals, received=received),
            crash=replace(
                self.crash, report=report if report and report.pid == child.pid else None
            ),
            errors=replace(self.errors, thrown=thrown),
            waits=replace(self.waits, standstill=None),
            children=replace(self.children, deaths=()),
            pipelines=replace(self.pipelines, stages=()),
        )

    def operation_of(self, stack: Stack) -> tuple[Place | None, str]:
        """The user's line that a crash in TensorFlow is about, and how it is known.

        Where Python itself had called the kernel, that is the line it stood on. Otherwise it waited for a pipeline or a graph.
        """
        kernel = self.crash.site.kernel if self.crash.site else ""
        called = (stack.tensorflow_operation or "").replace("_", "")
        if called and called not in ITERATOR_OPERATIONS and kernel.lower().startswith(called):
            return stack.own, ""
        if self.crash.operation_line is not None:
            return self.crash.operation_line, "the only line of the source that requests it"
        if called in ITERATOR_OPERATIONS:
            endless = [stage for stage in self.pipelines.stages if stage.buffer >= ABSURDLY_MANY]
            if len(endless) == 1 and endless[0].place is not None:
                told = f"a pipeline stage with a buffer of {endless[0].buffer}"
                return endless[0].place, told
        return stack.own, ""
