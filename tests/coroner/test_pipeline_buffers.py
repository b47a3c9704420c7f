"""TensorFlow's own count of what a running pipeline holds, given to the stage of the program that it is about."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlive.coroner.gather.pipeline_buffers import buffers_in, with_buffers
from outlive.model.findings import Place
from outlive.model.memory import BESIDE_AN_ELEMENT, Stage


def message(number: int, data: bytes) -> bytes:
    return bytes([number << 3 | 2]) + varint(len(data)) + data


def varint(value: int) -> bytes:
    found = b""
    while value > 0x7F:
        found, value = found + bytes([value & 0x7F | 0x80]), value >> 7
    return found + bytes([value])


def node(name: str, elements: int, held: int) -> bytes:
    inner = message(2, name.encode()) + b"\x20" + varint(held) + b"\x28" + varint(elements)
    return message(1, b"\x08\x01" + message(2, inner))


def census(*nodes: tuple[str, int, int], own: int = 1000) -> dict[str, object]:
    return {"own": own, "buffered": [b"".join(node(*one) for one in nodes).hex()]}


def stage(kind: str, buffer: int, line: int) -> Stage:
    return Stage(kind, Place("train.py", line, "main"), buffer)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("Shuffle", "shuffle"),
        ("ShuffleAndRepeatV2", "shuffle"),
        ("Prefetch", "prefetch"),
        ("MemoryCacheImpl", "cache"),
        ("ParallelMapV2", "map"),
        ("MapAndBatch", "map"),
        ("ParallelInterleaveV4", "interleave"),
    ],
)
def test_a_stage_is_known_by_the_models_name_for_it(name: str, kind: str) -> None:
    (found,) = buffers_in(node(name, 3, 600).hex(), 1000)

    share = (600 + 3 * BESIDE_AN_ELEMENT) / 1000  # an element takes more than its tensors
    assert (kind, 3, 600, share) == (found.kind, found.elements, found.bytes, found.share)


def test_what_holds_nothing_and_what_is_unknown_is_left_out() -> None:
    model = node("Shuffle", 0, 0) + node("Root", 4, 4) + node("BatchV2", 1, 9)

    assert [] == buffers_in(model.hex(), 1000)


@given(st.binary(max_size=200))
def test_whatever_lies_there_is_no_error(data: bytes) -> None:
    buffers_in(data.hex(), 1)
    buffers_in(data.decode("latin-1"), 1)


def test_the_last_look_that_tells_counts() -> None:
    looks = [census(("Shuffle", 1, 10)), census(("Shuffle", 7, 700)), {"own": 1000, "buffered": []}]

    (found,) = with_buffers([stage("shuffle", 50, 3)], looks)

    assert found.held is not None
    assert (7, 700, 100, 50 * (100 + BESIDE_AN_ELEMENT)) == (
        found.held.elements,
        found.held.bytes,
        found.each,
        found.bytes,
    )


def test_of_two_lines_the_one_that_can_hold_so_much_is_meant() -> None:
    small, large = stage("shuffle", 5, 3), stage("shuffle", 500, 9)

    found = with_buffers([small, large], [census(("Shuffle", 100, 800))])

    assert [None, 100] == [one.held and one.held.elements for one in found]


def test_where_two_lines_may_be_meant_none_is() -> None:
    found = with_buffers(
        [stage("shuffle", 500, 3), stage("shuffle", 500, 9)], [census(("Shuffle", 100, 800))]
    )

    assert [None, None] == [one.held for one in found]


def test_a_pipeline_that_is_built_anew_by_one_line_is_one_stage() -> None:
    found = with_buffers([stage("cache", -1, 3)] * 4, [census(("MemoryCacheImpl", 100, 800))])

    assert 1 == sum(one.held is not None for one in found)


def test_a_prefetch_that_tensorflow_adds_does_not_take_the_place_of_the_programs_own() -> None:
    held = census(("Prefetch", 2, 20), ("Prefetch", 100, 800))

    (found,) = with_buffers([stage("prefetch", 200, 3)], [held])

    assert found.held is not None and 100 == found.held.elements


def test_tensorflow_is_asked_by_the_recorder_in_the_program(tmp_path: Path) -> None:
    pytest.importorskip("tensorflow")
    import subprocess
    import sys

    script = tmp_path / "asks.py"
    script.write_text(
        "import tensorflow as tf\n"
        "from outlive.inside.notes.pipelines import Pipelines, ITERATORS\n"
        "from outlive.inside.memory.tensorflow_state import buffered_in\n"
        "import sys, os\n"
        "pipelines = Pipelines(None)\n"
        "pipelines._wrap_iterators(sys.modules[ITERATORS])\n"
        "data = tf.data.Dataset.range(100).map(lambda n: tf.zeros([1000])).shuffle(40).prefetch(1)\n"
        "iterator = iter(data)\n"
        "next(iterator)\n"
        "off = tf.data.Options()\n"
        "off.autotune.enabled = False\n"
        "other = iter(data.with_options(off))\n"
        "next(other)\n"
        "print(buffered_in(pipelines.iterators())[0])\n"
        "print(len(buffered_in(pipelines.iterators())), len(buffered_in([None])))\n"
        "del iterator, other\n"
        "print(len(pipelines.iterators()))\n"
    )

    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=120, check=False
    )

    model, counts, left = done.stdout.split("\n")[:3]
    (shuffle,) = [one for one in buffers_in(model, 1) if one.kind == "shuffle"]
    assert 4000 == shuffle.bytes // shuffle.elements
    assert 39 <= shuffle.elements <= 40
    assert ("1 0", "0") == (counts, left), "autotuning is off in one; what has ended is forgotten"
