"""The line that asked for a kernel which crashed in a thread of TensorFlow's own, found in the program's source code."""

from __future__ import annotations

from pathlib import Path

import pytest

from outlive.coroner.lines.operations import line_of_library, line_of_operation
from outlive.coroner.readings.readings import Readings
from outlive.model.crash import NativeFrame, Site

LIBRARY = "/v/site-packages/tensorflow/libtensorflow_framework.so.2"
COMPUTE = "tensorflow::CropAndResizeOp::ComputeAsync"
STAGE = "tensorflow::data::ParallelInterleaveDatasetOp::Dataset::ParallelInterleaveIterator::Next"


@pytest.mark.parametrize(
    ("function", "source", "line"),
    [
        (COMPUTE, "x = 1\ny = tf.image.crop_and_resize(a, b)\n", 2),
        (COMPUTE, "x = 1\ndata = data.map(tf.raw_ops.CropAndResize)\n", 2),
        (COMPUTE, "import helper\n", 3),
        (COMPUTE, "tf.image.crop_and_resize(a)\ntf.image.crop_and_resize(b)\n", None),
        (COMPUTE, "tf.image.resize(a)\n", None),
        (STAGE, "x = (files\n    .interleave(read,\n    num_parallel_calls=4))\n", 2),
        ("tensorflow::OpKernel::Compute", "tf.image.crop_and_resize(a)\n", None),
    ],
    ids=["called", "handed on", "in a module", "twice", "another", "stage", "any kernel"],
)
def test_one_line_alone_that_uses_the_operation_is_named(
    function: str, source: str, line: int | None, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(source)
    (tmp_path / "helper.py").write_text(
        "def cut(a, b):\n\n    return tf.image.crop_and_resize(a, b)"
    )
    run = {
        "kind": "run",
        "folder": str(tmp_path),
        "command": ["python", str(tmp_path / "train.py")],
    }

    found = line_of_operation(
        Readings([run], None), [None, Site(frames=(NativeFrame(LIBRARY, 1, function),))]
    )

    assert line == (found.line if found is not None else None)


def test_without_native_frames_no_source_is_read() -> None:
    assert None is line_of_operation(Readings([], None), [None, Site()])


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("run('cc -o libcam.so')\nlib = ctypes.CDLL(here('libcam.so'))\n", 2),
        ("a = CDLL('./libcam.so')\nb = CDLL('./libcam.so')\n", None),
        ("a = CDLL('./libother.so')\n", None),
    ],
    ids=["loaded", "twice", "another"],
)
def test_one_line_alone_that_loads_the_library_is_named(
    source: str, line: int | None, tmp_path: Path
) -> None:
    (tmp_path / "train.py").write_text(source)
    run = {
        "kind": "run",
        "folder": str(tmp_path),
        "command": ["python", str(tmp_path / "train.py")],
    }
    site = Site(frames=(NativeFrame("/w/libcam.so", 1, "flush"),))

    found = line_of_library(Readings([run], None), [site])

    assert line == (found.line if found is not None else None)
