"""The first remedy is what this program should change, with its own figures: not what such programs change in general."""

from __future__ import annotations

from typing import Any

import pytest

from made_evidence import PID, UNITS, evidence, group
from outlive.model.data import Held, Scene
from outlive.model.events import Origin, Thrown
from outlive.model.findings import Confidence, Finding, Place
from outlive.model.memory import Growth, Holder, Stage
from outlive.model.memory_looks import Alive, Making
from outlive.units.memory_advice import advice_for

LINE = Place("job.py", 4, "work", "result = work(item)")
MADE = Place("job.py", 2, "work", "items = make()")
MB = 1_000_000


def killed() -> dict[str, Any]:
    return {"groups": (group(limit=500 * MB, used=500 * MB, kills=(0, 1)),), "facts": {"memory limit": 500 * MB}}  # fmt: skip


def kept(**of: Any) -> Finding:
    known: dict[str, Any] = {"name": "items", "kind": "list", "length": 300, "first_length": 100, "looks": 3, "bytes": 400 * MB, "share": 0.9, "part_of_growth": 0.9, "feeds": LINE}  # fmt: skip
    holder = Holder(**(known | of))
    findings = list(
        UNITS["kept-in-container"].ask(evidence("SIGKILL", holders={PID: (holder,)}, **killed()))
    )
    assert findings
    return findings[0]


@pytest.mark.parametrize(
    ("of", "says"),
    [
        ({"kind": "queue", "made": MADE}, "Bound the queue at job.py:2: queue.Queue(maxsize=8)"),
        ({"kind": "lru_cache"}, "lru_cache(maxsize=100); 300 of them took 400 MB"),
        ({"kind": "deque", "made": MADE}, "Bound it at job.py:2: deque(maxlen=…)"),
        ({"errors": True, "holds": "NoData"}, "str(error)"),
        ({"holds": "list", "within": "function", "kind": "dict", "length": 2, "inner_length": 300, "first_inner_length": 90}, "Take each function out"),
        ({"holds": "method"}, "Take each function out"),
        ({"holds": "tf.Tensor of shape (64, 64) and type float32"}, "A tensor there takes 1.3 MB"),
        ({"kind": "dict", "holds": "numpy.ndarray of shape (9,) and type float32"}, "items.pop(next(iter(items)))"),
        ({"holds": "numpy.ndarray of shape (9,) and type float32"}, "Keep only the numbers you need"),
        ({"holds": "Episode"}, "no more than 100 elements"),
        ({"holds": "Episode", "said_bound": "self.capacity"}, "Lower the bound `self.capacity`: 300 elements of 1.3 MB filled the memory before it was reached; about 100 fit"),
        ({"holds": "keras Sequential"}, "Keep the score in `items`, not the model"),
    ],
)  # fmt: skip
def test_what_is_kept_says_what_to_change(of: dict[str, Any], says: str) -> None:
    assert says in kept(**of).remedies[0].text


def test_few_large_elements_are_likely_and_two_are_nothing() -> None:
    few = kept(length=5, first_length=3)

    assert Confidence.LIKELY is few.confidence
    assert not list(
        UNITS["kept-in-container"].ask(
            evidence(
                "SIGKILL",
                holders={PID: (Holder("pair", "list", 2, 400 * MB, first_length=1, looks=3, share=0.9, part_of_growth=0.9, feeds=LINE),)},
                **killed(),
            )
        )
    )  # fmt: skip


def thrown(message: str, kind: str, code: str = LINE.code, **known: Any) -> dict[str, Any]:
    library = Place("/v/site-packages/keras/x.py", 9, "call", own=False)
    own = Place("job.py", 4, "work", code)
    error = Thrown(kind, message, frames=(library, own), bases=("Exception",), origin=Origin.MAIN, pid=PID)  # fmt: skip
    return {"thrown": (error,), **known}


@pytest.mark.parametrize(
    ("kind", "message", "code", "says"),
    [
        ("AttributeError", "'NoneType' object has no attribute 'group'", "year = found.group(1)", "`found` is None here"),
        ("ValueError", "could not convert string to float: '3,5'", "float(word)", "decimal comma"),
        ("ValueError", "could not convert string to float: ''", "float(word)", "empty"),
        ("ValueError", "could not convert string to float: 'n/a'", "float(word)", "not a number"),
        ("ImportError", "cannot import name 'trapz' from 'numpy' (/v/numpy/__init__.py)", "from numpy import trapz", "numpy.trapezoid"),
        ("AttributeError", "module 'queue' has no attribute 'Queue'", "q = queue.Queue()", "queue.py"),
        ("ModuleNotFoundError", "No module named 'sklearn.svm'", "from sklearn.svm import SVC", "pip install scikit-learn"),
        ("KeyError", "'red'", "shade = PALETTE[name] * 2", "`PALETTE` has no key 'red'"),
        ("RuntimeError", "Graph is finalized and cannot be modified.", "tf.add(a, b)", "before the session"),
        ("ValueError", "Tensor Tensor(\"y:0\") is not an element of this graph.", "s.run(y)", "another graph"),
        ("FailedPreconditionError", "Attempting to use uninitialized value m/w", "s.run(y)", "global_variables_initializer"),
        ("OSError", "something else", "work()", "the traceback shows"),
        ("AttributeError", "module 'mine' has no attribute 'go'", "mine.go()", "the traceback shows"),
        ("KeyError", "'red'", "frame.pick('red')", "the traceback shows"),
    ],
)  # fmt: skip
def test_an_exception_without_a_cause_of_its_own_is_answered_by_its_words(
    kind: str, message: str, code: str, says: str
) -> None:
    finding = next(
        iter(UNITS["uncaught-exception"].ask(evidence(1, **thrown(message, kind, code))))
    )

    assert says in finding.remedies[0].text


def test_the_words_of_an_error_of_tensorflow_1_are_not_a_line_of_its_traceback() -> None:
    message = (
        "Graph execution error:\n\nDetected at node 'm/read' defined at (most recent call last):\n  File \"a.py\", line 3, in f\n"
        "Node: 'm/read'\nAttempting to use uninitialized value m\n\t [[{{node m/read}}]]\n\nOriginal stack trace for 'm/read':\n  File \"a.py\", line 3, in f"
    )
    finding = next(
        iter(UNITS["uncaught-exception"].ask(evidence(1, **thrown(message, "FailedPreconditionError"))))
    )  # fmt: skip

    assert "FailedPreconditionError: Attempting to use uninitialized value m" == finding.says


@pytest.mark.parametrize(
    ("message", "code", "says"),
    [
        ("Input 0 of layer \"dense\" is incompatible with the layer: expected shape=(None, 8, 8, 3), found shape=(1, 192)", "model.predict(row)", "reshape(-1, 8, 8, 3)"),
        ("A `Concatenate` layer requires inputs with matching shapes except for the concatenation axis. Received: input_shape=[(None, 4), (None, 1, 9)]", "layers.Concatenate()([a, b])", "Flatten()"),
        ("Input to reshape is a tensor with 700 values, but the requested shape has 690", "tf.reshape(x, (n, side // parts, parts))", "choose `side` as a multiple of `parts`"),
        ("Received a label value of 3 which is outside the valid range of [0, 3).  Label values: 1 3 2 2", "loss(y, p)", "subtract 1"),
        ("Received a label value of 9 which is outside the valid range of [0, 3).  Label values: 0 9 2 2", "loss(y, p)", "as wide as"),
        ("Argument `output` must have rank (ndim) `target.ndim - 1`. Received: target.shape=(16, 7), output.shape=(16, 7)", "model.fit(x, y)", "categorical_crossentropy"),
    ],
)  # fmt: skip
def test_shapes_are_answered_by_their_figures(message: str, code: str, says: str) -> None:
    known = thrown(message, "InvalidArgumentError" if "abel" in message or "reshape is" in message else "ValueError", code)  # fmt: skip
    finding = next(iter(UNITS["shape-mismatch"].ask(evidence(1, **known))))

    assert says in finding.remedies[0].text


def test_a_picture_of_the_wrong_channels_is_a_shape_that_does_not_fit() -> None:
    message = "OpenCV(4.9.0) color.simd_helpers.hpp:92: error: (-15:Bad number of channels) in function 'CvtHelper'\n> Invalid number of channels in input image:\n>     'VScn::contains(scn)'\n> where\n>     'scn' is 1\n"
    own = Place("job.py", 4, "work", "grey = cv2.cvtColor(shot, cv2.COLOR_RGB2HSV)")
    error = Thrown("cv2.error", message, frames=(own,), bases=("Exception",), origin=Origin.MAIN, pid=PID)  # fmt: skip
    scene = Scene(values=(Held("shot", "numpy.ndarray", own, (20, 30), "uint8"),))
    finding = next(iter(UNITS["shape-mismatch"].ask(evidence(1, thrown=(error,), scene=scene))))

    assert "1 channel" in finding.says
    assert "ndim == 3" in finding.remedies[0].text


def test_an_array_larger_than_the_limit_is_named_where_it_was_made() -> None:
    line = Place("job.py", 9, "work", "seen[users, items] = 1")
    making = Making(line, alive=(Alive("seen", "90000×90000 uint8", 8_100 * MB, MADE),))
    known = {"lines": {PID: Growth(line, 0.99, 450 * MB, 3.0)}, "makings": {PID: making}}
    finding = next(
        iter(UNITS["memory-limit-reached"].ask(evidence("SIGKILL", **killed(), **known)))
    )

    assert MADE == finding.where
    assert "it fills `seen` (90000×90000 uint8), which takes 8.1 GB when it is full" in finding.says


def test_a_lost_task_is_likely_where_its_line_would_have_put_the_key_that_is_missing() -> None:
    own = Place("job.py", 8, "one", "sums[name] = total(rows[name])")
    lost = Thrown("TypeError", "unsupported operand", frames=(own,), origin=Origin.FUTURE, pid=PID)

    def found(code: str) -> Finding:
        known = thrown("'north'", "KeyError", code)
        both = (*known["thrown"], lost)
        return next(iter(UNITS["background-error-lost"].ask(evidence(1, thrown=both))))

    assert Confidence.LIKELY is found("share = sums[name] / whole").confidence
    assert Confidence.POSSIBLE is found("share = names[name] / whole").confidence


def test_small_elements_are_not_shuffled_before_they_are_decoded() -> None:
    stage = Stage("shuffle", LINE, 50 * MB, element_bytes=16, pid=PID)
    finding = next(
        iter(UNITS["shuffle-buffer-too-large"].ask(evidence("SIGKILL", stages=(stage,), **killed())))
    )  # fmt: skip

    assert "Reduce buffer_size: shuffle(" in finding.remedies[0].text


@pytest.mark.parametrize("code", ["y = tf.one_hot(ids, 9)", "y = to_categorical(ids)"])
def test_one_hot_vectors_are_answered_with_class_numbers(code: str) -> None:
    assert "sparse" in advice_for(code)
