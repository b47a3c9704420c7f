"""What libraries said when they were made to complain (TensorFlow 2.21, Keras 3, NumPy 2, Pillow), and what it is taken for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from outlive.coroner.readings.readings import Readings
from outlive.coroner.readings.source_lines import thrown
from outlive.model.data import Scene
from outlive.model.events import Thrown
from outlive.model.findings import Place
from outlive.units.complaints import complaint_of

HERE = Path(__file__).parent.parent
SAID = json.loads((HERE / "complaints.json").read_text())
LINES = Readings([], None).lines


def as_thrown(said: dict) -> Thrown:
    """As the recorder would have written it down."""
    frames = [[*place.rpartition(":")[::2]] for place in said["passed"]]
    return thrown(
        {
            "type": said["type"],
            "bases": said["bases"],
            "message": said["message"],
            "frames": [[file, 1, function] for file, function in frames],
        },
        LINES,
    )


@pytest.mark.parametrize("said", SAID, ids=lambda said: said["what"])
def test_the_words_of_libraries_are_understood(said: dict) -> None:
    complaint = complaint_of(as_thrown(said), Scene())

    if not said["kind"]:
        assert complaint is None
        return
    assert complaint is not None
    assert (said["kind"], said["variant"]) == (complaint.kind, complaint.variant)
    assert said["parts"] == {name: getattr(complaint, name) for name in said["parts"]}


def error(kind: str, message: str, *, own: str = "", bases: tuple[str, ...] = ()) -> Thrown:
    frames = (Place("train.py", 3, "main", own),) if own else ()
    return Thrown(kind, message, frames, bases=bases)


@pytest.mark.parametrize(
    "thrown",
    [
        error("ValueError", "the learning rate must be positive", own="raise ValueError(text)"),
        error("KeyError", "'label'", own='row["label"]'),
        error("AssertionError", "", own="assert len(files) == 3"),
        error("ValueError", "not enough values to unpack (expected 2, got 1)", own="a, b = text.split()"),
        error("ValueError", "could not convert string to float: 'x'", own="float(word)"),
        error("OSError", "[Errno 28] No space left on device"),
        error("OSError", "[Errno 24] Too many open files: 'a.png'"),
        error("JSONDecodeError", "Expecting value: line 1 column 1 (char 0)", own="json.loads(text)"),
        error("RuntimeError", "information about the inference is infinitesimal", own="raise X"),
        error("TypeError", "unsupported operand type(s) for +: 'int' and 'str'", own="a + b"),
        error("ModuleNotFoundError", "No module named 'tensorflow_io'", bases=("ImportError",)),
        error("NotFoundError", "libx.so: cannot open shared object file: No such file or directory"),
    ],
    ids=lambda thrown: thrown.message[:40] or thrown.type,
)  # fmt: skip
def test_what_is_about_something_else_is_left_alone(thrown: Thrown) -> None:
    assert complaint_of(thrown, Scene()) is None


def test_an_exception_that_was_handled_before_is_not_blamed() -> None:
    handled = Thrown(
        "FileNotFoundError",
        "[Errno 2] No such file or directory: 'cache'",
        (Place("train.py", 5, "main", "open('cache')"),),
        bases=("OSError",),
    )
    later = Thrown(
        "LookupError", "no model", (Place("build.py", 9, "build", "raise"),), cause=handled
    )

    assert complaint_of(later, Scene()) is None


def test_an_exception_that_its_handler_replaced_is_understood() -> None:
    handled = Thrown(
        "FileNotFoundError",
        "[Errno 2] No such file or directory: 'a.txt'",
        (Place("/usr/lib/python3.11/pathlib.py", 1, "open", own=False), Place("a.py", 5, "read")),
        bases=("OSError",),
    )
    told = Thrown("ReadError", "cannot go on", (Place("a.py", 7, "read", "raise"),), cause=handled)

    complaint = complaint_of(told, Scene())

    assert complaint is not None
    assert ("missing-file", "a.txt") == (complaint.kind, complaint.path)
