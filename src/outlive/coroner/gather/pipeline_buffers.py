"""What the stages of running pipelines held at the last look, as TensorFlow's own model of each pipeline tells it.

Model and program know a stage by different names, and the model knows no line: a stage of the program's is matched by its kind and by
what it may hold, and only where that leaves no choice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from outlive.coroner.readings.readings import integer
from outlive.data.formats.protobuf import NotProtobuf, fields
from outlive.model.memory import BESIDE_AN_ELEMENT, Buffered, Stage

#: Of ``ModelProto`` and its nodes.
NODES, NODE = 1, 2
NAME, BYTES, ELEMENTS = 2, 4, 5

#: The model's names of stages that hold elements, without their versions (``ParallelMapV2``).
KINDS = {
    "Shuffle": "shuffle",
    "ShuffleAndRepeat": "shuffle",
    "Prefetch": "prefetch",
    "MemoryCache": "cache",
    "MemoryCacheImpl": "cache",
    "ParallelMap": "map",
    "MapAndBatch": "map",
    "ParallelInterleave": "interleave",
}
VERSION = re.compile(r"V\d+$")


def with_buffers(
    stages: Sequence[Stage], censuses: Sequence[Mapping[str, Any]]
) -> tuple[Stage, ...]:
    """The stages of one process, each with what it held, where that is known."""
    found = list(stages)
    for buffered in _last(censuses):
        fitting = [stage for stage in found if _may_be(stage, buffered)]
        if len({stage.place for stage in fitting}) == 1:
            newest = max(place for place, stage in enumerate(found) if stage is fitting[-1])
            found[newest] = replace(found[newest], held=buffered)
    return tuple(found)


def _may_be(stage: Stage, buffered: Buffered) -> bool:
    """Whether this is the stage of the model: of its kind, large enough, and not yet found to be another."""
    large_enough = stage.buffer < 0 or buffered.elements <= stage.buffer
    return stage.kind == buffered.kind and large_enough and stage.held is None


def _last(censuses: Sequence[Mapping[str, Any]]) -> list[Buffered]:
    """What was held at the last look that tells of it; the largest first."""
    for census in reversed(censuses):
        models = census.get("buffered")
        if isinstance(models, list) and models:
            own = integer(census.get("own")) or integer(census.get("rss")) or 0
            read = [one for model in models for one in buffers_in(str(model), own)]
            return sorted(read, key=lambda one: -one.bytes)
    return []


def buffers_in(model: str, own_bytes: int) -> list[Buffered]:
    """The stages of one model that hold elements in memory."""
    try:
        return list(_read(memoryview(bytes.fromhex(model)), own_bytes))
    except (NotProtobuf, ValueError):
        return []


def _read(model: memoryview, own_bytes: int) -> Iterator[Buffered]:
    for node in _messages(model, NODES):
        for inner in _messages(node, NODE):
            told = dict(fields(inner))
            name, held, elements = told.get(NAME), told.get(BYTES, 0), told.get(ELEMENTS, 0)
            if not isinstance(name, memoryview):
                continue
            kind = KINDS.get(VERSION.sub("", bytes(name).decode("ascii", "replace")))
            if kind and isinstance(held, int) and isinstance(elements, int) and elements > 0:
                taken = held + BESIDE_AN_ELEMENT * elements  # the model counts the tensors alone
                yield Buffered(kind, elements, held, taken / own_bytes if own_bytes else 0.0)


def _messages(data: memoryview, wanted: int) -> Iterable[memoryview]:
    return (
        value
        for number, value in fields(data)
        if number == wanted and isinstance(value, memoryview)
    )
