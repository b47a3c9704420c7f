"""A stage of a tf.data pipeline as plain data, and how many elements it may hold. Pure: knows numbers, not TensorFlow.

The multipliers are how TensorFlow's C++ works, not what its documentation says; each was measured (``bench/bound.py``).
"""

from __future__ import annotations

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import List, Optional, Tuple

#: TensorFlow's marks for "find out yourself", and for datasets whose number of elements is not known.
AUTOTUNE = -1
UNKNOWN = -2

#: A fused map and batch keeps at most so many batches, however wide the map is.
MOST_FUSED_BATCHES = 16

#: A prefetch that tunes itself begins with this; how far it goes, the budget decides.
TUNED_PREFETCH = 2

#: What TensorFlow takes for an element that is held, beside its tensors: see ``model/memory.py``.
BESIDE_AN_ELEMENT = 150
#: Of a larger one it makes no difference.
SMALL_ELEMENT = 10_000


class Stage:
    """One stage: what it is, where the program built it, its parameters, the size of an element that it gives out."""

    __slots__ = (
        "batch",
        "block",
        "call_bytes",
        "calls",
        "count",
        "cycle",
        "element_bytes",
        "input_bytes",
        "kind",
        "lean",
        "padded",
        "place",
        "settled",
        "size",
        "sources",
        "spread",
        "title",
    )

    def __init__(self, kind: str, title: str, sources: Tuple[int, ...]) -> None:
        self.kind = kind  #: shuffle, prefetch, cache, map, interleave, batch, window; anything else holds nothing
        self.title = title  #: as the program's author calls it
        self.sources = sources  #: the stages before it, as positions in the pipeline
        self.place: Optional[Tuple[str, int]] = None  #: the user's file and line
        self.size: Optional[int] = None  #: of the buffer of a shuffle or prefetch
        self.calls: Optional[int] = None  #: parallel ones
        self.batch: Optional[int] = None
        self.padded = False  #: a batch whose elements are brought to one shape
        self.cycle = 1  #: of an interleave
        self.block = 1
        self.lean = False  #: an interleave that reads no further ahead than it must
        self.count = UNKNOWN  #: elements that come in
        self.element_bytes: Optional[int] = None  #: that goes out
        self.input_bytes: Optional[int] = None  #: that comes in
        self.call_bytes = (
            0  #: at the worst moment of one call of the user's function, temporaries included
        )
        self.settled = False  #: decided before, and read since
        self.spread = 1.0  #: bytes that are taken for one that is held


def tuned(stage: Stage) -> bool:
    """Whether TensorFlow sets the stage's parameter while it runs."""
    if stage.kind == "prefetch":
        return stage.size == AUTOTUNE
    return stage.kind in ("map", "interleave", "batch") and stage.calls == AUTOTUNE


def follower(stages: List[Stage], position: int) -> Optional[Stage]:
    """The one stage that takes what this one gives, if there is exactly one."""
    found = [stage for stage in stages if position in stage.sources]
    return found[0] if len(found) == 1 else None


def unit_bytes(stages: List[Stage], position: int) -> Optional[int]:
    """Count the bytes that raising the stage's parameter by one costs: an element, and what malloc loses beside it."""
    stage = stages[position]
    if stage.kind == "window":
        return stage.input_bytes  # its own elements are datasets
    if stage.element_bytes is None and stage.kind == "map":
        return stage.call_bytes or None
    if stage.element_bytes is None:
        return None
    beside = BESIDE_AN_ELEMENT if stage.element_bytes < SMALL_ELEMENT else 0
    return int(stage.element_bytes * stage.spread) + beside


def temporary_bytes(stage: Stage, held: int, cpus: int) -> int:
    """What calls that are running need beside their results; of those in flight no more run than there are processors."""
    if stage.kind != "map" or not stage.calls:
        return 0
    return min(held, cpus) * max(0, stage.call_bytes - (stage.element_bytes or 0))


def elements_at_most(stages: List[Stage], position: int, cpus: int) -> Optional[int]:
    """How many of its own elements a stage may hold; ``None`` when nothing bounds them."""
    stage = stages[position]
    if stage.kind == "shuffle":
        size = stage.size if stage.size is not None and stage.size >= 0 else None
        if stage.count >= 0:
            return stage.count if size is None else min(size, stage.count)
        return size
    if stage.kind == "window":
        return stage.size
    if stage.kind == "prefetch":
        size = TUNED_PREFETCH if stage.size == AUTOTUNE else stage.size
        return size if size is None or stage.count < 0 else min(size, stage.count)
    if stage.kind == "cache":
        return stage.count if stage.count >= 0 else None
    if stage.kind == "map" and stage.calls:
        return _of_map(stages, position, cpus if stage.calls == AUTOTUNE else stage.calls)
    if stage.kind == "interleave" and stage.calls:
        opened = stage.cycle + 1 if stage.lean else 3 * stage.cycle  # those of the cycle, and ahead
        opened = opened if stage.count < 0 else min(opened, stage.count)
        return opened * (2 if stage.lean else 2 * stage.block + 1)
    if stage.kind == "batch" and stage.calls:
        return cpus if stage.calls == AUTOTUNE else stage.calls
    return 0


def fused_batch(stages: List[Stage], position: int) -> int:
    """The size of the batch that a parallel map is fused with, because it comes right after; else 0."""
    stage, after = stages[position], follower(stages, position)
    if stage.kind == "map" and stage.calls and after is not None and after.kind == "batch":
        return 0 if after.calls or after.padded else after.batch or 0
    return 0


def _of_map(stages: List[Stage], position: int, calls: int) -> int:
    """One that is fused with a batch holds whole batches."""
    stage, batch = stages[position], fused_batch(stages, position)
    held = max(calls, min(MOST_FUSED_BATCHES, -(-calls // batch)) * batch) if batch else calls
    return held if stage.count < 0 else min(held, stage.count)


def bytes_at_most(stages: List[Stage], position: int, cpus: int) -> Optional[int]:
    """What a stage may hold; ``None`` when nothing bounds it or the size of an element is not known."""
    stage = stages[position]
    held = elements_at_most(stages, position, cpus)
    if held == 0:
        if stage.kind == "batch":
            return _of_batch(stages, stage)
        return stage.call_bytes
    unit = unit_bytes(stages, position)
    if held is None or unit is None:
        return None
    return held * unit + temporary_bytes(stage, held, cpus)


def _of_batch(stages: List[Stage], stage: Stage) -> Optional[int]:
    """The elements that are waiting for their batch, unless they are written right into it, and the batch."""
    if stage.element_bytes is None:
        return None
    if any(fused_batch(stages, source) for source in stage.sources):
        return stage.element_bytes
    return (stage.input_bytes or 0) * (stage.batch or 1) + stage.element_bytes


def bytes_beyond(stages: List[Stage]) -> int:
    """At the end: the prefetch that TensorFlow adds where there is none, and the element that the program works with."""
    last = stages[-1]
    ahead = 0 if last.kind == "prefetch" else TUNED_PREFETCH
    return (ahead + 1) * (last.element_bytes or 0)
