"""The variables of a kernel are read by their exact types: nothing of the user's is called, and nothing changes."""

from __future__ import annotations

import random
import sys
import threading
from typing import Any

import numpy as np
import pytest

from notebook_kernels import require_jupyter

require_jupyter()

from outlive.jupyter import foresee  # noqa: E402  # a skip comes first
from outlive.jupyter.live_values import live_values  # noqa: E402


class Touchy:
    """Says so whenever anybody looks at it."""

    touched: list[str] = []  # noqa: RUF012  # of the class, so that an instance need not be asked

    def __getattribute__(self, name: str) -> Any:
        Touchy.touched.append(name)
        raise AssertionError(name)

    def __repr__(self) -> str:
        Touchy.touched.append("repr")
        return "Touchy"

    def __eq__(self, other: object) -> bool:
        Touchy.touched.append("eq")
        return False

    def __bool__(self) -> bool:
        Touchy.touched.append("bool")
        return False

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        Touchy.touched.append("len")
        return 0


class Array(np.ndarray):
    """A subclass with a property of its own."""

    @property
    def shape(self) -> tuple[int, ...]:  # type: ignore[override]
        Touchy.touched.append("shape")
        return ()


class Number(int):
    """A subclass of a number."""

    def __int__(self) -> int:
        Touchy.touched.append("int")
        return 0


NAMESPACE: dict[str, Any] = {
    "np": np, "a": np.ones((3, 4), "float32"), "n": 7, "shape": (2, 3), "kept": [], "rate": 0.5, "wide": np.int64(9),
    "touchy": Touchy(), "mine": np.ones(3).view(Array), "number": Number(3), "words": ["x"], "text": "text",
    "objects": np.array([object(), 1], dtype=object), "huge": 1 << 70, "nan": float("nan"),
}  # fmt: skip


class Shell:
    """As much of IPython's shell as is looked at."""

    def __init__(self, namespace: Any) -> None:
        self.user_ns = namespace
        self.ast_transformers: list[object] = []
        self.magics_manager = type("Magics", (), {"magics": {"line": {"ls": 1}}})


class Info:
    silent = False

    def __init__(self, cell: str) -> None:
        self.raw_cell = cell


def test_values_are_written_as_python() -> None:
    live = live_values(NAMESPACE, " ".join(NAMESPACE), frozenset())

    assert {
        "np": "import numpy", "a": "_outlive_numpy.ones((3, 4), 'float32')", "n": "7", "shape": "(2, 3)", "kept": "[]",
        "rate": "0.5", "wide": "9",
    } == dict(live.values)  # fmt: skip
    assert set(NAMESPACE) == set(live.names)


def test_nothing_of_the_users_is_called(capsys: pytest.CaptureFixture[str]) -> None:
    Touchy.touched.clear()
    cell = "\n".join([*NAMESPACE, "touchy @ a", "mine + a", "objects * a", "unknown"])

    foresee.Foresight(Shell(NAMESPACE)).before(Info(cell))

    assert [] == Touchy.touched
    assert "`unknown` is not defined" in capsys.readouterr().err


def test_nothing_of_the_users_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    random.seed(1)
    np.random.seed(1)
    namespace = dict(NAMESPACE)
    before = list(namespace.items()), random.getstate(), np.random.get_state()[1].tolist()  # type: ignore[index]
    names, modules = threading.Thread().name, set(sys.modules)

    for _ in range(5):
        foresee.Foresight(Shell(namespace)).before(Info("a @ a\nfoo()"))

    after = list(namespace.items()), random.getstate(), np.random.get_state()[1].tolist()  # type: ignore[index]
    assert all(one[0] == two[0] and one[1] is two[1] for one, two in zip(before[0], after[0], strict=True))  # fmt: skip
    assert before[1:] == after[1:]
    counted = int(threading.Thread().name.split("-")[1].split()[0])
    assert counted == int(names.split("-")[1].split()[0]) + 1, "a thread of ours took a number"
    assert not {it for it in sys.modules.keys() - modules if not it.startswith("outlive")}


def test_a_name_that_a_function_rebinds_is_not_known() -> None:
    namespace: dict[str, Any] = {"x": np.ones((3, 4)), "y": np.ones((3, 4))}
    exec("def inner():\n    global x\n    x = 1\ndef outer():\n    inner()", namespace)

    assert {"y"} == set(live_values(namespace, "outer()\nx @ y", frozenset()).values)
    assert {"x", "y"} == set(live_values(namespace, "x @ y", frozenset()).values)


@pytest.mark.parametrize(
    "change",
    [
        {"user_ns": type("Lazy", (dict,), {})(NAMESPACE)},
        {"ast_transformers": [object()]},
    ],
    ids=["another namespace", "another text"],
)
def test_a_shell_that_works_otherwise_is_left_alone(
    change: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    shell = Shell(NAMESPACE)
    vars(shell).update(change)

    foresee.Foresight(shell).before(Info("unknown"))

    assert "" == capsys.readouterr().err


def test_out_of_time_nothing_is_said_and_the_thread_ends(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ended = threading.Event()

    def endless(*_: object) -> None:
        try:
            while True:
                str.join("", map(repr, range(10)))
                _step()
        finally:
            ended.set()

    monkeypatch.setattr(foresee, "foreseen", endless)

    foresee.Foresight(Shell(NAMESPACE)).before(Info("unknown"))

    assert ended.wait(30)
    assert "" == capsys.readouterr().err


def _step() -> None:
    """A call, at which the thread looks at the clock."""


@pytest.mark.tf
def test_tensors_and_variables_are_known_and_untouched() -> None:
    import keras
    import tensorflow as tf

    namespace = {
        "t": tf.constant([[1, 2]]),
        "v": tf.Variable(tf.ones([3, 2])),
        "k": keras.Variable(np.ones((2, 2), "float32")),
        "r": tf.ragged.constant([[1], [2, 3]]),
    }
    fields = {name: dict(vars(value)) for name, value in namespace.items()}

    live = live_values(namespace, "t v k r", frozenset())

    assert {
        "t": "_outlive_tf.ones((1, 2), 'int32')",
        "v": "_outlive_tf.ones((3, 2), 'float32')",
        "k": "_outlive_tf.ones((2, 2), 'float32')",
    } == dict(live.values)
    assert {"t": "int32", "v": "float32"} == dict(live.tensors)
    assert fields == {name: dict(vars(value)) for name, value in namespace.items()}
