"""Tiles, suppression, comparison: boxes, without a model."""

from __future__ import annotations

import math
import os
import random
import sys
import types
from itertools import pairwise
from pathlib import Path

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outlive.detection import task
from outlive.detection.boxes import largest_difference, overlap
from outlive.detection.detections import EXPECTED, Found, found_in, refuse_no_numbers, to_plain
from outlive.detection.images import tiles
from outlive.detection.images.tiles import Tile, in_picture, merged, tiles_of
from outlive.detection.inputs import inputs_from, kept_standard_input, must_exist
from outlive.detection.models.signature import NoDetector, Tensor, fit
from outlive.detection.models.suppression import Suppression, suppressed
from outlive.detection.progress import Tally, progress_line
from outlive.errors import UsageError
from outlive.jobs.executor import Progress
from outlive.jobs.plain_exception import Unfit


@given(st.integers(1, 4000), st.integers(1, 4000), st.integers(64, 1000))
def test_tiles_have_one_size_cover_the_picture_and_stay_inside(
    width: int, height: int, side: int
) -> None:
    cut = tiles_of(width, height, side)

    assert {(min(side, width), min(side, height))} == {(one.width, one.height) for one in cut}
    for length, starts, size in (
        (width, sorted({one.left for one in cut}), cut[0].width),
        (height, sorted({one.top for one in cut}), cut[0].height),
    ):
        assert (0, length) == (starts[0], starts[-1] + size)
        assert all(after - before <= size for before, after in pairwise(starts))


def test_an_object_on_an_edge_is_one_object() -> None:
    left, right = Tile(0, 0, 100, 100), Tile(80, 0, 100, 100)
    half = in_picture([Found((0.2, 0.75, 0.6, 1.0), 1, 0.7)], left, 180, 100)
    whole = in_picture([Found((0.2, 0.0, 0.6, 0.4), 1, 0.9)], right, 180, 100)
    other = in_picture([Found((0.2, 0.0, 0.6, 0.4), 2, 0.8)], right, 180, 100)

    found = merged([*half, *whole, *other])

    assert [(1, 0.9), (2, 0.8)] == [(one.label, one.score) for one in found]
    assert (0.2, 0.444444, 0.6, 0.666667) == found[0].box


def test_what_is_merged_does_not_depend_on_the_grid() -> None:
    noise = random.Random(3)
    found = []
    for _ in range(400):
        top, left = noise.random(), noise.random()
        high, wide = noise.choice([(0.01, 0.02), (0.1, 0.1), (0.6, 0.5)])
        box = (top, left, top + high, left + wide)  # some lie beyond the edge
        found.append(Found(box, noise.randrange(2), noise.random()))

    by_all: list[Found] = []
    for one in sorted(found, key=lambda one: -one.score):
        if not any(
            other.label == one.label and tiles._are_one(one.box, other.box) for other in by_all
        ):
            by_all.append(one)

    assert by_all == merged(found)
    assert 20 < len(by_all) < 400


def test_lists_hold_any_name_and_come_from_files_or_a_pipe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names = ["a b.jpg", "new\nline.jpg", "#1.jpg", os.fsdecode(b"no\xffutf.jpg")]
    Path("zeros").write_bytes(b"\0".join(map(os.fsencode, names)))
    Path("lines").write_text("# a remark\r\nplain.jpg\r\n\nplain.jpg\n")

    assert names == list(inputs_from(["@zeros"]))
    assert ["plain.jpg"] == list(inputs_from([], ["lines"]))
    with open("zeros") as pipe:
        monkeypatch.setattr(sys, "stdin", pipe)
        with kept_standard_input(["-"], ["lines"]) as lists:
            both = [list(inputs_from(["-"], lists)) for _ in range(2)]
    assert [["plain.jpg", *names]] * 2 == both, "it is read more than once"
    with pytest.raises(UsageError, match="nothing at 'no"):
        must_exist(["lines", "@zeros", "l*", "no*.jpg"])


def test_a_log_is_told_how_far_it_is() -> None:
    tally = Tally()
    tally.began -= 100.0
    assert "outlive: 5 of 405, 0.0/s" == progress_line(tally, 5, 405, Progress())

    tally.done, tally.causes["corrupt-image"] = 99, 1
    assert "outlive: 105 of 405, 1.0/s, about 5 min left, 1 quarantined" == progress_line(
        tally, 5, 405, Progress()
    )


def test_suppression_keeps_the_surest_of_each_class() -> None:
    boxes = numpy.array([[[0, 0, 0.5, 0.5]], [[0, 0, 0.5, 0.49]], [[0.6, 0.6, 1.2, 1.0]]])
    scores = numpy.array([[0.9, 0.2], [0.8, 0.7], [0.05, 0.6]])

    kept, sure, labels = suppressed(boxes, scores, Suppression(overlap=0.5, offset=1), 0.1)

    assert [(1, 0.9), (2, 0.7), (2, 0.6)] == list(zip(labels.tolist(), sure.tolist(), strict=True))
    assert 1.0 == kept[2][2], "clipped to the picture"


@pytest.mark.parametrize(
    ("scores", "count", "failed"),
    [
        ([math.nan, math.nan], None, True),
        ([math.nan, 0.1], 2, True),
        ([math.nan, 0.9], None, False),
        ([0.9, math.nan], 1, False),
        ([0.1, math.nan], 1, False),
        ([math.inf, 0.1], None, True),
        ([], None, False),
    ],
)
def test_an_answer_without_any_number_is_no_empty_picture(
    scores: list[float], count: int | None, failed: bool
) -> None:
    boxes = [[0.0, 0.0, 1.0, 1.0]] * len(scores)
    if failed:
        with pytest.raises(Unfit, match="NaN or infinity"):
            refuse_no_numbers(boxes, scores, count, 0.3)
    else:
        refuse_no_numbers(boxes, scores, count, 0.3)


def test_a_budget_that_the_model_uses_up_is_told_before_any_picture_is_blamed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    outputs = [Tensor(name, "float32", None) for name in EXPECTED]
    ready = fit([Tensor("input", "uint8", (1, None, None, 3))], outputs)
    monkeypatch.setattr(task, "_detector", lambda *_: types.SimpleNamespace(offset=0, fit=ready))

    with pytest.raises(Unfit, match="nothing is left for a picture"):
        task.make(model="", runtime="tf", budget=1000, min_score=0.3)


def test_what_is_no_number_is_no_object() -> None:
    nan = float("nan")
    boxes = [[0, 0, 1, 1], [0, nan, 1, 1], [0, 0, 1, float("inf")], [0, 0, 1, 1]]

    found = found_in(boxes, [0.4, 0.9, 0.9, nan], [1, 1, 1, 1], None, 0.3)

    assert [0.4] == [one.score for one in found]


def test_the_difference_of_two_models_is_the_worst_score_or_the_missed_object() -> None:
    def answer(*found: Found) -> dict[str, object]:
        return {"a": to_plain(10, 10, found)}

    cat = Found((0.1, 0.1, 0.5, 0.5), 1, 0.9)
    near = Found((0.1, 0.1, 0.5, 0.48), 1, 0.87)
    dog = Found((0.1, 0.1, 0.5, 0.5), 2, 0.6)

    assert abs(0.03 - largest_difference(answer(cat), answer(near), 0.1)) < 1e-9
    assert abs(0.5 - largest_difference(answer(cat), answer(cat, dog), 0.1)) < 1e-9
    assert 1.0 == largest_difference(answer(cat), {}, 0.1)
    assert 0.0 == overlap((0, 0, 0, 0), (0, 0, 0, 0))


BOXES = [
    Tensor(name, "float32", None)
    for name in ("detection_boxes", "detection_scores", "detection_classes")
]


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ([Tensor("image", "string", (None,))], "encoded pictures"),
        ([Tensor("a", "uint8", (1, None, None, 3)), Tensor("b", "float32", (1,))], "2 inputs"),
        ([Tensor("x", "float32", (None, 28, 28, 1))], "not a picture"),
    ],
)
def test_a_wrong_input_is_told(inputs: list[Tensor], words: str) -> None:
    with pytest.raises(NoDetector, match=words):
        fit(inputs, BOXES)


def test_names_of_other_makers_are_known() -> None:
    outputs = [
        Tensor(name, "float32", None)
        for name in ("boxes", "confidence", "classes", "num_detections")
    ]

    found = fit([Tensor("images", "float32", (None, 640, 480, 3))], outputs)

    assert ("boxes", "confidence") == (
        found.outputs["detection_boxes"],
        found.outputs["detection_scores"],
    )
    assert (480, 640) == (found.width, found.height)
    assert 2 == len(found.notes)
