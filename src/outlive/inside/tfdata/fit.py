"""Fit the parameters of a pipeline to the memory there is. Pure: plain numbers in, plain numbers out.

What fits is left as it is. Otherwise every stage keeps at least what it cannot do without, and the rest is dealt out evenly: a stage
that wants little gets all of it, those that want much share what is left.
"""

from __future__ import annotations

from .stage import (
    AUTOTUNE,
    Stage,
    bytes_at_most,
    bytes_beyond,
    elements_at_most,
    fused_batch,
    temporary_bytes,
    tuned,
    unit_bytes,
)

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Dict, List, Optional, Tuple

#: For the stages that tune themselves, and for the prefetch that TensorFlow adds at the end: at least so many elements each.
TUNED_ELEMENTS = 2

#: Stages whose buffers TensorFlow counts while it tunes others; a shuffle and a cache are not among them.
WEIGHED = ("prefetch", "map", "interleave", "batch")

#: TensorFlow's own figure, whatever the machine: too many at the start where an element is large.
INITIAL_PARALLELISM = 16


#: Of the budget: who wants no more keeps it, also where the whole does not fit. A shuffle of file names saves nothing.
NEGLIGIBLE = 0.01


class Change:
    """What is to be different about one stage."""

    __slots__ = ("after", "before", "parameter", "position")

    def __init__(self, position: int, parameter: str, before: Optional[int], after: int) -> None:
        self.position = position
        self.parameter = parameter  #: size, calls, lean (interleave), disk (cache)
        self.before = before
        self.after = after


class Fit:
    """The changes, and the budgets for what tunes itself."""

    __slots__ = ("changes", "initial_parallelism", "left_out", "ram_budget", "total_bytes")

    def __init__(self) -> None:
        self.changes: List[Change] = []
        self.left_out: List[Tuple[int, str]] = []  #: stages that could not be fitted, and why
        self.ram_budget = 0
        self.initial_parallelism = 1
        self.total_bytes = 0  #: at most, after the changes


def fit(stages: List[Stage], budget: int, cpus: int, disk_bytes: Optional[int] = 0) -> Fit:
    """``disk_bytes``: room for a cache that does not fit the memory; ``None`` where it cannot be sent to a disk."""
    found = Fit()
    reserve = _reserve(stages, cpus, budget)
    rigid = sum(_rigid(stages, position, cpus) for position in range(len(stages)))
    room = max(0, budget - reserve - rigid)
    wants, least = _wants(stages, cpus, room, int(NEGLIGIBLE * budget), found)
    spilled = _spilled(stages, wants, least, room, disk_bytes, found)
    for position in spilled:
        del wants[position]
    if sum(wants.values()) <= room:
        given = dict(wants)
    else:
        given = deal(room, wants, least)
        for position in sorted(given):
            _change(stages, position, given[position], wants[position], cpus, found)
    found.total_bytes = sum(given.values()) + rigid
    for_tuned = max(min(reserve, budget), budget - found.total_bytes, 1)
    found.initial_parallelism = _initial(stages, for_tuned, cpus)
    found.ram_budget = max(1, int(for_tuned / _widest(stages))) + _weighed(stages, given)
    return found


def _weighed(stages: List[Stage], given: Dict[int, int]) -> int:
    """What TensorFlow weighs against its budget though it does not tune it: without room for that, it makes no call beside another."""
    return sum(
        int(given[position] / stages[position].spread)
        for position in given
        if stages[position].kind in WEIGHED and given[position] < 1 << 62
    )


def deal(room: int, wants: Dict[int, int], least: Dict[int, int]) -> Dict[int, int]:
    """Everybody's least first; then the smallest wish first, each at most an even share of what is left."""
    given = {position: min(least[position], wants[position]) for position in wants}
    room = max(0, room - sum(given.values()))
    waiting = sorted(wants, key=lambda position: wants[position] - given[position])
    while waiting:
        position = waiting.pop(0)
        more = min(wants[position] - given[position], room // (len(waiting) + 1))
        given[position] += more
        room -= more
    return given


def _wants(
    stages: List[Stage], cpus: int, room: int, negligible: int, found: Fit
) -> Tuple[Dict[int, int], Dict[int, int]]:
    """What the stages that can be changed would hold, and the least with which they work as they should."""
    wants: Dict[int, int] = {}
    least: Dict[int, int] = {}
    for position, stage in enumerate(stages):
        if not _adjustable(stage):
            continue
        unit, held = unit_bytes(stages, position), elements_at_most(stages, position, cpus)
        if unit is None and stage.kind == "prefetch":
            if (
                stage.size or 0
            ) > TUNED_ELEMENTS:  # TensorFlow weighs what it holds, and keeps to its budget
                found.changes.append(Change(position, "size", stage.size, AUTOTUNE))
        elif unit is None:
            found.left_out.append((position, "the size of an element is not known in advance"))
        elif held is None:
            wants[position] = least[position] = (
                1 << 62
            )  # a cache or a shuffle of who knows how many
            least[position] = 0 if stage.kind == "cache" else unit
        else:
            needed = max(_least_elements(stage, held, cpus), fused_batch(stages, position))
            wants[position] = held * unit + temporary_bytes(stage, held, cpus)
            least[position] = min(held, needed) * unit + temporary_bytes(stage, needed, cpus)
            if wants[position] <= negligible:
                least[position] = wants[position]
            elif least[position] > room // 2:  # better slow than dead
                least[position] = unit + temporary_bytes(stage, 1, cpus)
    return wants, least


def _adjustable(stage: Stage) -> bool:
    if stage.settled or tuned(stage):
        return False
    if stage.kind in ("shuffle", "prefetch"):
        return stage.size != 0
    if stage.kind == "interleave":
        return bool(stage.calls) and not stage.lean
    return stage.kind == "cache" or (stage.kind == "map" and bool(stage.calls))


def _least_elements(stage: Stage, held: int, cpus: int) -> int:
    if stage.kind == "map":
        return min(held, cpus)  # fewer would leave processors idle
    if stage.kind == "interleave":
        return min(held, 2 * (stage.cycle + 1))
    if stage.kind == "cache":
        return 0
    return min(held, 1)


def paths_to_the_end(stages: List[Stage]) -> List[int]:
    """Count, for each stage, the paths to the end of the pipeline: this many iterators read it at the same time."""
    paths = [1] * len(stages)
    for position in range(len(stages) - 2, -1, -1):
        paths[position] = sum(
            paths[later] * stages[later].sources.count(position)
            for later in range(position + 1, len(stages))
        )
    return paths


def _spilled(
    stages: List[Stage],
    wants: Dict[int, int],
    least: Dict[int, int],
    room: int,
    disk_bytes: Optional[int],
    found: Fit,
) -> List[int]:
    """Caches go to the disk whole or not at all, the largest first."""
    caches = [position for position in wants if stages[position].kind == "cache"]
    kept = sum(least[position] for position in wants if position not in caches)
    paths = paths_to_the_end(stages)
    gone: List[int] = []
    for position in sorted(caches, key=lambda one: -wants[one]):
        total = sum(wants[one] for one in caches if one not in gone)
        if kept + total <= room:
            break
        if paths[position] > 1:
            found.left_out.append((position, "it is read twice at the same time"))
            continue
        if disk_bytes is None:
            found.left_out.append((position, "the pipeline has an unknown stage"))
            continue
        known = wants[position] < 1 << 62
        if (known and wants[position] > disk_bytes) or not disk_bytes:
            found.left_out.append((position, "there is no disk space for it either"))
            continue
        gone.append(position)
        found.changes.append(Change(position, "disk", None, wants[position] if known else -1))
    return gone


def _change(
    stages: List[Stage], position: int, given: int, wanted: int, cpus: int, found: Fit
) -> None:
    """From bytes back to the parameter."""
    stage, unit = stages[position], unit_bytes(stages, position)
    if given >= wanted or not unit or stage.kind == "cache":
        return
    elements = _affordable(stage, given, unit, cpus)
    if stage.kind == "interleave":
        found.changes.append(Change(position, "lean", 0, 1))
    elif stage.kind == "map":
        if stage.calls and elements < stage.calls:
            found.changes.append(Change(position, "calls", stage.calls, elements))
    elif stage.size is None or stage.size < 0 or elements < stage.size:
        found.changes.append(Change(position, "size", stage.size, elements))


def _affordable(stage: Stage, given: int, unit: int, cpus: int) -> int:
    """Count the elements that fit into these bytes."""
    running = temporary_bytes(stage, cpus, cpus)
    if given >= cpus * unit + running:
        return max(1, (given - running) // unit)
    return max(1, given // (unit + temporary_bytes(stage, 1, cpus)))


def _rigid(stages: List[Stage], position: int, cpus: int) -> int:
    """Count the bytes that are held whatever is decided here: a batch that is being put together, one call of a function."""
    stage = stages[position]
    if _adjustable(stage) or tuned(stage):
        return 0
    return bytes_at_most(stages, position, cpus) or 0


def _reserve(stages: List[Stage], cpus: int, budget: int) -> int:
    """What the stages that tune themselves work well with, and what comes after the last; of a small budget not all."""
    total = 0
    for position, stage in enumerate(stages):
        if tuned(stage):
            calls = TUNED_ELEMENTS if stage.kind == "prefetch" else cpus
            unit = unit_bytes(stages, position) or 0
            wanted = calls * unit + temporary_bytes(stage, calls, cpus)
            total += max(unit, min(wanted, budget // 4))
    return total + bytes_beyond(stages)


def _widest(stages: List[Stage]) -> float:
    """TensorFlow weighs the elements of what tunes itself, and knows nothing of what they take beside."""
    spreads = [stage.spread for stage in stages if tuned(stage) or stage.kind == "prefetch"]
    return max(spreads, default=1.0)


def _initial(stages: List[Stage], ram_budget: int, cpus: int) -> int:
    """With how many calls the maps that tune themselves begin: also those of which nothing was said, which TensorFlow makes parallel by itself."""
    units = [
        unit_bytes(stages, position) or 0
        for position, stage in enumerate(stages)
        if stage.kind != "prefetch"
        and (stage.calls == AUTOTUNE or (stage.kind == "map" and not stage.calls))
    ]
    if not units:
        return 1
    return max(1, min(INITIAL_PARALLELISM, cpus, ram_budget // max(1, sum(units))))
