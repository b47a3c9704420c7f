"""How many elements come to a stage at most, where TensorFlow does not know: a filter gives no more than it gets, a file no more records than it has bytes for.

Without it, a cache of records could hold anything, and would go to a file on the largest machine.
"""

from __future__ import annotations

import os

from . import datasets
from .element_sampling import BYTES_OF_A_TEXT
from .stage import UNKNOWN, Stage

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, List, Optional

#: The records that were looked at are the first of the first file: those that follow may be so much smaller.
MARGIN = 1.5

#: So many files are asked how large they are; the others are taken to be like them.
MOST_FILES = 10_000

#: How compressed files begin (gzip, zlib): the bytes that they have say little of those that they give.
COMPRESSED = (b"\x1f\x8b", b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")

#: Stages that give one element for each that they get, or none. A `pass` that repeats is none of them.
NO_MORE = ("pass", "map", "shuffle", "prefetch", "cache")


def count_at_most(objects: List[Any], stages: List[Stage]) -> None:
    """Fill in what TensorFlow leaves open. The sizes of the elements must be known by then."""
    given: List[Optional[int]] = []  #: by each stage, at most
    for position, stage in enumerate(stages):
        if stage.count == UNKNOWN and stage.sources:
            before = given[stage.sources[0]]
            stage.count = UNKNOWN if before is None else before
        given.append(_given(objects, stages, position, given))


def _given(
    objects: List[Any], stages: List[Stage], position: int, given: List[Optional[int]]
) -> Optional[int]:
    stage, one = stages[position], objects[position]
    known = datasets.cardinality(one)
    if known != UNKNOWN:
        return known if known >= 0 else None
    taken = stage.count if stage.count >= 0 else None
    if stage.title == "take":
        most = datasets.whole(one, "count") or 0
        return taken if most < 0 else most if taken is None else min(taken, most)
    if stage.title == "repeat":
        times = datasets.whole(one, "count") or 0
        return None if taken is None or times < 0 else taken * times
    if stage.kind == "batch" and taken is not None:
        return -(-taken // (stage.batch or 1))
    if stage.kind in ("zip", "concatenate"):
        parts = [given[source] for source in stage.sources]
        counts = [part for part in parts if part is not None]
        if stage.kind == "zip":
            return min(counts, default=None)
        return sum(counts) if len(counts) == len(parts) else None
    if stage.kind in NO_MORE and stage.sources:
        return taken
    return _records(one, stage)


def _records(dataset: Any, stage: Stage) -> Optional[int]:
    """Of files: as many as they have bytes for, if the elements are the records themselves."""
    names = datasets.file_names(dataset) if stage.element_bytes else None
    total = None if not names else bytes_of_files(names)
    if total is None:
        return None
    record = max(1, (stage.element_bytes or 0) - BYTES_OF_A_TEXT)
    return 1 + int(MARGIN * total / record)


def bytes_of_files(names: List[str]) -> Optional[int]:
    """All of them together; ``None`` where one cannot be asked, or is compressed."""
    asked = names[:MOST_FILES]
    try:
        total = sum(os.stat(name).st_size for name in asked)
        with open(asked[0], "rb") as file:
            begin = file.read(2)
    except OSError:
        return None
    return None if begin in COMPRESSED else total * len(names) // len(asked)
