"""Pipelines of tf.data: the stages that hold elements in memory."""

from __future__ import annotations

from dataclasses import field

from outlive.model.evidence.memory import Memory
from outlive.model.evidence.run import UNKNOWN_RUN, Run
from outlive.model.fact_names import (
    ELEMENTS_IT_HELD,
    ELEMENTS_IT_MAY_HOLD,
    LAST_LINE_SEEN,
    MACHINE_MEMORY,
    MEMORY_IT_HELD,
    MEMORY_IT_MAY_HOLD,
    MEMORY_LIMIT,
    PEAK_MEMORY,
    SIZE_OF_ONE_ELEMENT,
)
from outlive.model.findings import Confidence, Fact
from outlive.model.memory import Stage
from outlive.model.quick_dataclass import dataclass

#: A stage that may hold this share of the limit is no passenger.
LARGE_STAGE = 0.4

#: Of the program's own memory, counted: so much was not filled by anything else; so little filled nothing.
MOST_OF_MEMORY = 0.5
EMPTY_STAGE = 0.1

#: … and one that may hold this share leaves room for the rest of the program.
MODEST_STAGE = 0.25

#: Where a thread is that waits for the next element of a pipeline: in a loop, in `fit`.
READS_A_PIPELINE = (
    "/tensorflow/python/data/ops/iterator_ops.py",
    "/keras/src/backend/tensorflow/trainer.py",
)


@dataclass(frozen=True, slots=True)
class Pipelines:
    """The stages of the program's pipelines."""

    stages: tuple[Stage, ...] = ()
    run: Run = field(default=UNKNOWN_RUN, repr=False, compare=False)
    memory: Memory = field(default=Memory(), repr=False, compare=False)

    def overfull(self, kind: str) -> Stage | None:
        """The stage of this kind that may hold a large part of the memory that ran out."""
        if self.memory.filled_by_others() is not None:
            return None
        if self.memory.oom_kill() is None and self.memory.refused() is None:
            return None
        limit = self.room
        mine = [
            stage
            for stage in self.stages
            if stage.kind == kind and stage.pid == self.run.program.pid
        ]
        for stage in mine:
            if stage.held is not None and stage.held.share >= LARGE_STAGE:
                return stage
        # What was nearly empty at the last look did not fill the memory, however much it may hold.
        largest = max(
            (stage for stage in mine if stage.held is None or stage.held.share > EMPTY_STAGE),
            key=lambda stage: stage.bytes or 0,
            default=None,
        )
        if largest is None or limit is None:
            return None
        return largest if (largest.bytes or 0) >= LARGE_STAGE * limit else None

    def confidence_in(self, stage: Stage) -> Confidence:
        """TensorFlow's own count proves it, and so does a buffer that can never be filled; what a stage may hold makes it likely."""
        counted = stage.held is not None and stage.held.share >= MOST_OF_MEMORY
        proven = counted or self._cannot_be_filled(stage)
        return Confidence.PROVEN if proven else Confidence.LIKELY

    def _cannot_be_filled(self, stage: Stage) -> bool:
        """A shuffle that must be full before its first element comes out, with more than the limit at which the kernel killed the program while
        it waited for an element: nothing behind it can have run, so nothing behind it can have taken the memory."""
        limit, kill = self.run.fact(MEMORY_LIMIT), self.memory.oom_kill()
        if stage.kind != "shuffle" or kill is None or kill.confidence is not Confidence.PROVEN:
            return False
        reads = any(
            stack.pid in (0, self.run.program.pid) and frame.file.endswith(READS_A_PIPELINE)
            for stack in self.run.stacks
            for frame in stack.frames
        )
        known = stage.elements is not None and isinstance(limit, int)
        return known and reads and (stage.bytes or 0) >= int(limit or 0)

    @property
    def room(self) -> int | None:
        """The limit that a pipeline's buffers are measured by."""
        limit = self.run.fact(MEMORY_LIMIT) or self.run.fact(MACHINE_MEMORY)
        return limit if isinstance(limit, int) else None

    def modest(self, stage: Stage) -> int:
        """How many elements a stage may hold in a quarter of the limit: two digits of it, as a person would write."""
        room, each = self.room, stage.each
        count = int(MODEST_STAGE * room / each) if room and each else 0
        step = int("1" + "0" * max(0, len(str(count)) - 2))
        return count // step * step

    def facts_of(self, stage: Stage) -> tuple[Fact, ...]:
        """What is known about a stage that held too much."""
        source = "the pipeline as it was built"
        counted: tuple[Fact, ...] = ()
        if stage.held is not None:
            model = "TensorFlow's model of the running pipeline, last sample"
            counted = (
                Fact(ELEMENTS_IT_HELD, stage.held.elements, model),
                Fact(MEMORY_IT_HELD, stage.held.bytes, model),
            )
        built = (
            Fact(ELEMENTS_IT_MAY_HOLD, stage.holds, source),
            Fact(SIZE_OF_ONE_ELEMENT, stage.element_bytes, source),
            Fact(MEMORY_IT_MAY_HOLD, stage.bytes, source),
        )
        return (
            *counted,
            *(fact for fact in built if fact.value is not None),
            *self.run.because(MEMORY_LIMIT, PEAK_MEMORY, LAST_LINE_SEEN),
        )
