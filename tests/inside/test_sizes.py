"""What containers weigh: beside what the interpreter itself counts, and where C keeps what Python does not name."""

from __future__ import annotations

import gc
import io
import itertools
import sys
import threading
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from outlive.inside.memory import sizes, unnamed
from outlive.inside.memory.value_stack import checked_reader, in_the_making

COUNT = 20_000


@pytest.mark.parametrize(
    "make",
    [
        lambda i: (i // 500, i, float(i)),
        lambda i: {"id": i, "score": float(i), "name": f"number {i}"},
        lambda i: [f"word {i} {k}" for k in range(3)],
        lambda i: {f"key {i}": {"inner": (i, [i])}},
    ],
    ids=["rows that share a number", "records", "lists of texts", "nested"],
)
def test_a_list_weighs_what_the_interpreter_counts(make: Callable[[int], Any]) -> None:
    tracemalloc.start()
    kept = [make(number) for number in range(COUNT)]
    counted = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert 0.8 * counted < sizes.weight(kept) < 1.15 * counted


@pytest.mark.parametrize(
    "make",
    [
        lambda data: itertools.repeat(io.BytesIO(data)),
        lambda data: memoryview(data),
        lambda data: itertools.chain([np.frombuffer(data, np.uint8).copy()]),
        lambda data: lambda: data,
        lambda data: np.frombuffer(data, np.uint8).copy().astype(np.uint8).flat,
    ],
    ids=["stream in an iterator", "view", "array in an iterator", "closure", "array's iterator"],
)
def test_what_c_keeps_is_weighed(make: Callable[[bytes], Any]) -> None:
    kept = [make(bytes([number]) * 100_000) for number in range(20)]
    assert 1_900_000 < sizes.weight(kept) < 2_500_000


def test_what_three_neighbours_share_is_weighed_once() -> None:
    kept = []
    for number in range(40):
        data = bytes([number]) * 100_000
        kept += [[data], [data], [data]]
    assert 3_900_000 < sizes.weight(kept) < 4_500_000
    by_key = dict(enumerate(kept))
    assert 3_900_000 < sizes.weight(by_key) < 4_500_000


@pytest.mark.parametrize("kind", [list, dict, set])
def test_a_comprehension_is_seen_before_it_has_a_name(kind: type) -> None:
    reader = checked_reader()
    assert reader is not None
    seen: list[Any] = []

    def at(number: int) -> int:
        if number == 30:
            frame: Any = sys._getframe(1)
            while frame is not None and frame.f_code.co_filename == __file__:
                seen.extend((type(one), len(one)) for one in in_the_making(frame, reader))
                frame = frame.f_back
        return number

    made: Any
    if kind is list:
        made = [at(number) for number in range(40)]
    elif kind is dict:
        made = {number: at(number) for number in range(40)}
    else:
        made = {at(number) for number in range(40)}
    assert len(made) == 40
    assert (kind, 30) in seen


def test_a_tuple_in_the_making_has_empty_places_and_is_weighed_all_the_same() -> None:
    """To ask it for one of them would end the process: 3.11 gives the tuple its whole length before it has its first element."""
    entered, go_on = threading.Event(), threading.Event()

    def made(number: int) -> bytearray:
        if number == 1500:
            entered.set()
            assert go_on.wait(60)
        return bytearray(4000)

    thread = threading.Thread(target=lambda: tuple(map(made, range(3000))))
    thread.start()
    assert entered.wait(60)
    objects = gc.get_objects()
    kinds = {kind: sizes.kind_of_container(kind) for kind in {type(one) for one in objects}}
    found = unnamed.unnamed_in(objects, kinds, (), lambda file: False)
    del objects  # its maker must be the only one who refers to it
    go_on.set()
    thread.join()
    assert [entry["length"] for entry in found if entry["kind"] == "tuple"] == [1500]
