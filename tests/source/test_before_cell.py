"""What is said of a cell before it runs, given the values that are there; and of what nothing is said."""

from __future__ import annotations

import pytest

from outlive.source.lint.before_cell import Live, foreseen

VALUES = {
    "np": "import numpy",
    "tf": "import tensorflow",
    "X": "_outlive_numpy.ones((100, 30), 'float64')",
    "W": "_outlive_numpy.ones((20, 5), 'float64')",
    "points": "_outlive_numpy.ones((60000, 3), 'float64')",
    "n": "200000",
    "kept": "[]",
    "ids": "_outlive_tf.ones((4,), 'int32')",
    "rates": "_outlive_tf.ones((4,), 'float32')",
}
GB = 1_000_000_000
LIVE = Live(
    VALUES,
    [*VALUES, "model", "load"],
    given=("print", "range", "ls", "len"),
    others=("history",),
    tensors={"ids": "int32", "rates": "float32"},
    left_bytes=20 * GB,
    limit_bytes=25 * GB,
)


def said(cell: str) -> list[str]:
    return [warning.says for warning in foreseen(cell, LIVE)]


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("Y = X @ W", "line 1 will fail: the shapes [100, 30] and [20, 5] do not fit together: 30 against 20."),
        ("print(1)\nY = X + W", "line 2 will fail: the shapes [100, 30] and [20, 5] do not fit together: 30 against 5."),
        ("for i in range(3):\n    X @ W", "line 2 will fail: the shapes [100, 30] and [20, 5] do not fit together: 30 against 20."),
        ("X = X.copy()\nX @ W", "line 2 will fail: the shapes [100, 30] and [20, 5] do not fit together: 30 against 20."),
        ("print(histori)", "line 1 will fail: `histori` is not defined. Did you mean `history`?"),
        ("pd.read_csv('x')", "line 1 will fail: `pd` is not defined. Add: import pandas as pd"),
        ("%matplotlib inline\nprint(zzz)", "line 2 will fail: `zzz` is not defined."),
        ("a = np.ones((n, n))", "line 1 makes a float64 array of [200000, 200000]: 320 GB; 20.0 GB of 25.0 GB are left."),
        ("a = np.zeros((n, n))", "line 1 makes a float64 array of [200000, 200000]: 320 GB; 20.0 GB of 25.0 GB are left."),
        ("d = points[:, None] - points[None]", "line 1 makes a float64 array of [60000, 60000, 3]: 86.4 GB; 20.0 GB of 25.0 GB are left."),
        ("for i in range(9):\n    kept.append(np.ones((20000, 20000)))", "line 2: `kept` keeps 9 arrays of 3.2 GB: 28.8 GB; there are 20.0 GB left."),
        ("ids * rates", "line 1 will fail: tensors of int32 and float32; TensorFlow does not convert one to the other. Convert it: tf.cast."),
        ("tf.add(ids, rates)", "line 1 will fail: tensors of int32 and float32; TensorFlow does not convert one to the other. Convert it: tf.cast."),
    ],
)  # fmt: skip
def test_a_line_that_will_fail_is_told(cell: str, words: str) -> None:
    assert [words] == said(cell)


@pytest.mark.parametrize(
    "cell",
    [
        "",
        "Y = X.T @ X",
        "def f():\n    return X @ W",
        "if load():\n    X @ W",
        "try:\n    X @ W\nexcept ValueError:\n    pass",
        "try:\n    zzz\nexcept NameError:\n    zzz = 1",
        "X = load()\nX @ W",
        "X = X[:20]\nX @ W",
        "while load():\n    print(zzz)",
        "load() and zzz",
        "[zzz for _ in load()]",
        "lambda: zzz",
        "zzz = 1\nprint(zzz)",
        "import zzz\nzzz.run()",
        "from zzz import *\nprint(whatever)",
        "ls",
        "!ls {X}",
        "%run other.py\nprint(zzz)",
        "%%bash\necho $zzz",
        "print(_, __, _3, In, Out)\nget_ipython()",
        "model.fit(X, W)",
        "z = np.zeros((n, 13000))",
        "del kept\na = np.ones((n, 13000))",
        "for i in range(9):\n    if load():\n        break\n    kept.append(np.ones((20000, 20000)))",
        "ids = load()\nids * rates",
        "tf.cast(ids, tf.float32) * rates",
        "this is no Python",
        "X @",
        "(" * 300,
    ],
)
def test_what_may_go_well_is_not_accused(cell: str) -> None:
    assert [] == said(cell)


def test_each_line_is_told_once_and_in_order() -> None:
    assert ["line 1", "line 3"] == [
        words[:6] for words in said("zzz + yyy\nprint(1)\nX @ W; X + W")
    ]


def test_without_a_known_limit_nothing_is_said_of_memory() -> None:
    assert [] == foreseen("a = np.ones((n, n))", Live(VALUES, list(VALUES)))
