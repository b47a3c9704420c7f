"""All that one page about a run shows, gathered before anything is written: the verdict, its evidence, and what ran when."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from outlive.model.events import NEARLY_FULL, Moment
from outlive.model.evidence import Evidence
from outlive.model.fact_names import RUN_TIME
from outlive.model.findings import Fact, RuledOut, Verdict, size
from outlive.model.memory import Holder, Stage
from outlive.model.memory_looks import Looks
from outlive.model.quick_dataclass import dataclass
from outlive.model.surroundings_at_death import TELLING_PACKAGES
from outlive.report.threads import Thread, threads_of
from outlive.source.rewrite import Rewriting

#: More would not fit on a screen, and a browser draws a curve of it without a pause.
MOST_MOMENTS = 3000
MOST_HOLDERS = 12


@dataclass(frozen=True, slots=True)
class Story:
    """One run, ready to be told."""

    verdict: Verdict
    evidence: Evidence
    moments: Sequence[Moment] = ()
    source: Sequence[tuple[int, str]] = ()  #: the lines around the one that is to blame
    ruled_out: Sequence[RuledOut] = ()
    began: str = ""
    rewriting: Rewriting | None = None  #: the blamed lines, before and after

    @property
    def threads(self) -> Sequence[Thread]:
        """Where every thread was."""
        return threads_of(self.evidence)

    @property
    def changes(self) -> Sequence[Moment]:
        """The moments at which another line began to run."""
        runs = itertools.groupby(self.moments, key=lambda moment: moment.place)
        return [next(group) for _, group in runs][-MOST_MOMENTS:]

    @property
    def held(self) -> Sequence[Held]:
        """Who held memory, the largest first."""
        program = self.evidence.run.program.pid
        looks = self.evidence.growth.looks.get(program)
        found = [
            *(
                held_by(holder, "" if pid == program else f", in process {pid}")
                for pid, holders in self.evidence.growth.holders.items()
                for holder in holders
                if holder.believable
            ),
            *(held_in(stage) for stage in self.evidence.pipelines.stages if stage.bytes),
            *(held_at(looks) if looks is not None else ()),
        ]
        return sorted(found, key=lambda held: -held.bytes)[:MOST_HOLDERS]

    @property
    def marks(self) -> Sequence[tuple[float, str]]:
        """Moments that matter, to be marked on the curve."""
        evidence = self.evidence
        found = [(got.at, f"{got.signal} arrives") for got in evidence.signals.received]
        found += [(at, "brake") for at in evidence.memory.brakes or _brake_errors(evidence)]
        found += [(child.at, f"process {child.pid} dies") for child in evidence.children.deaths]
        found.append((_limit_met(evidence), "limit reached"))
        if evidence.waits.stuck is not None:
            found.append((evidence.waits.stuck.at, "stands still"))
        found.append(
            (
                next((stack.at for stack in evidence.run.stacks if stack.at is not None), None),
                "last stack",
            )
        )
        end = evidence.run.fact(RUN_TIME)
        if isinstance(end, int | float) and not isinstance(end, bool):
            found.append((float(end), "end" if not evidence.run.failed else "death"))
        return sorted((at, label) for at, label in found if at is not None)


def _brake_errors(evidence: Evidence) -> Sequence[float | None]:
    """A brake that ended the program at once was not written down by itself."""
    return [thrown.at for thrown in evidence.errors.thrown if thrown.is_a("MemoryBrake")]


def _limit_met(evidence: Evidence) -> float | None:
    """When memory first was next to its limit."""
    full = (
        sample.at
        for sample in evidence.run.samples
        if sample.limit_bytes
        and sample.used_bytes is not None
        and sample.used_bytes >= NEARLY_FULL * sample.limit_bytes
    )
    return next(full, None)


@dataclass(frozen=True, slots=True)
class Held:
    """Something that held memory."""

    what: str
    where: str
    bytes: int
    detail: str


def held_by(holder: Holder, where: str = "") -> Held:
    """A container of the user's."""
    detail = f"{holder.length:,} elements" + (f": {holder.holds}" if holder.holds else "")
    return Held(
        f"{holder.kind} {holder.name}", str(holder.feeds or ""), holder.bytes, detail + where
    )


def held_in(stage: Stage) -> Held:
    """A stage of a pipeline: what it may hold at most."""
    detail = f"at most {stage.holds:,} elements of {size(stage.element_bytes or 0)}"
    return Held(f"tf.data {stage.kind}", str(stage.place or ""), stage.bytes or 0, detail)


def held_at(looks: Looks) -> Sequence[Held]:
    """What the allocators said when memory was last looked at. They overlap: an array in a list is in the heap as well."""
    found = [
        Held(
            f"array {array.name}",
            str(array.place or ""),
            array.bytes,
            f"{array.dtype} {array.shape}",
        )
        for array in looks.arrays
    ]
    found += [
        Held(
            f"graph {graph.name}",
            str(graph.place or ""),
            graph.bytes,
            f"{graph.operations:,} operations",
        )
        for graph in looks.graphs
    ]
    for last in looks.ledgers[-1:]:
        known = (
            ("tensors", last.tensor_bytes, "allocated by TensorFlow"),
            ("Python objects", last.python_bytes, "everything the garbage collector tracks"),
            (
                "native heap",
                last.heap_used_bytes,
                "allocated by malloc, including tensors and arrays",
            ),
            (
                "native heap, free",
                last.heap_free_bytes,
                "freed to malloc, but still held by the process",
            ),
            (
                "small pieces, free",
                last.arena_free_bytes,
                "freed to Python's allocator, but still held by the process",
            ),
        )
        found += [Held(what, "", count, detail) for what, count, detail in known if count]
    return [held for held in found if held.bytes]


def environment(story: Story) -> Sequence[Fact]:
    """What was run, on what."""
    program, setting = story.evidence.run.program, story.evidence.circumstances.setting
    known = (
        ("command", " ".join(program.command), "the command line"),
        ("folder", program.folder, "the supervisor"),
        ("began", story.began, "measured by Outlive"),
        ("revision", setting.revision, "git's files around the folder"),
        ("Python", program.python, "the program"),
        ("system", setting.system, "uname"),
        *((name, value, "the environment") for name, value in setting.variables.items()),
        *(
            (name, version, "its dist-info directory")
            for name, version in sorted(setting.packages.items())
            if name in TELLING_PACKAGES
        ),
    )
    return [Fact(name, value, source) for name, value, source in known if value]
