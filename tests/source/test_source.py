"""The view that rules are asked of: names, values, pipelines, loops, cells."""

from __future__ import annotations

import ast
import json
import math

import pytest

from outlive.source.cells import read_cells, write_cells
from outlive.source.parsed import Source


def source(text: str) -> Source:
    return Source("program.py", text)


def last(text: str) -> tuple[Source, ast.expr]:
    """The source, and the expression in its last line."""
    view = source(text)
    statement = [*view.every(ast.Expr)][-1]
    return view, statement.value


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("import tensorflow\ntensorflow.data.Dataset", "tf.data.Dataset"),
        ("import tensorflow as tf\ntf.data.Dataset", "tf.data.Dataset"),
        ("import tensorflow.compat.v1 as tf1\ntf1.Session", "tf.Session"),
        ("import tensorflow as tf\ntf.compat.v1.Session", "tf.Session"),
        ("from tensorflow import data\ndata.Dataset", "tf.data.Dataset"),
        ("from tensorflow.data import Dataset as D\nD", "tf.data.Dataset"),
        ("from tensorflow import keras\nkeras.Model", "keras.Model"),
        ("import tensorflow as tf\ntf.keras.layers.Dense", "keras.layers.Dense"),
        ("from tensorflow.keras import layers\nlayers.Dense", "keras.layers.Dense"),
        ("import tf_keras as keras\nkeras.Model", "keras.Model"),
        ("import tensorflow as tf\nlayers = tf.keras.layers\nlayers.Dense", "keras.layers.Dense"),
        ("import tensorflow as tf\na = tf\nb = a.data\nb.Dataset", "tf.data.Dataset"),
        ("import os.path\nos.path.join", "os.path.join"),
        ("import numpy as np\nnp.zeros", "numpy.zeros"),
        ("try:\n    import tensorflow as tf\nexcept ImportError:\n    tf = None\ntf.zeros", "tf.zeros"),
        ("open", "builtins.open"),
        ("open = print\nopen", ""),
        ("def open(): pass\nopen", ""),
        ("import tensorflow as tf\ndef f(tf):\n    tf.zeros", ""),
        ("import tensorflow as tf\nfor tf in []: pass\ntf.zeros", ""),
        ("import tensorflow as tf\nclass A:\n    tf = 1\n    def f(self):\n        tf.zeros", "tf.zeros"),
        ("def f():\n    import tensorflow as tf\n    def g():\n        tf.zeros", "tf.zeros"),
        ("def f():\n    import tensorflow as tf\ntf.zeros", "builtins.tf.zeros"),
        ("a = b\nb = a\na.c", ""),
    ],
)  # fmt: skip
def test_a_name_means_what_was_imported(text: str, meant: str) -> None:
    view, expression = last(text)

    assert meant == view.called(expression)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("10_000", 10_000),
        ("-3", -3),
        ("1 << 20", 1 << 20),
        ("10**6", 10**6),
        ("int(1e6)", 1e6),
        ("BATCH = 8\nBATCH * 4 + 2", 34),
        ("BATCH = 8\nBATCH = 9\nBATCH", 9),
        ("BATCH = 8\nif x:\n    BATCH = 9\nBATCH", None),
        ("if x:\n    BATCH = 9\n    BATCH", 9),
        ("BATCH = 8\ndef f():\n    BATCH", 8),
        ("BATCH = 8\nBATCH = 9\ndef f():\n    BATCH", None),
        ("def f(BATCH=8):\n    BATCH", None),
        ("for BATCH in [8]:\n    BATCH", None),
        ("a, b = 3, 4\nb", 4),
        ("(a := 7)\na", 7),
        ("x = 1\nx += 1\nx", None),
        ("x = 1\nmatch y:\n    case 2:\n        x = 2\nx", None),
        ("match y:\n    case 2:\n        x = 2\n        x", 2),
        ("try:\n    x = 1\nexcept OSError:\n    x = 2\nx", None),
        ("x = 1\nwhile y:\n    x\n    x = 2\nx", None),
        ("x = 1\nwhile y:\n    y = x\n    x", 1),
        ("x = 1\nfor i in y:\n    x = 2\n    x", 2),
        ("1 / 0", None),
        ("9**9**9", None),
        ("x = x\nx", None),
        ("True", None),
        ("'8'", None),
    ],
)
def test_a_number_is_known_when_it_is_sure(text: str, number: float | None) -> None:
    view, expression = last(text)

    assert number == view.number(expression)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("import cv2\ncamera = cv2.VideoCapture(0)\ngood, frame = camera.read()\nframe", "cv2.VideoCapture().read[]"),
        ("import keras\nmodel = keras.Sequential()\nhistory = model.fit(1)\nhistory", "keras.Sequential().fit"),
        ("import keras\ndef build():\n    return keras.Model()\nbuild()", "keras.Model"),
        ("import keras\nclass Net(keras.Model): pass\nNet()", "keras.Model"),
        ("import tensorflow as tf\nwith tf.compat.v1.Session() as s:\n    s", "tf.Session"),
        ("import tensorflow as tf\ndef f(ds: tf.data.Dataset):\n    ds", "tf.data.Dataset"),
        ("import os\nfor name in os.listdir():\n    name", "os.listdir[]"),
        ("import os\n[name for name in os.listdir() if name]", "os.listdir"),
        ("import keras\nclass A:\n    def __init__(self):\n        self.m = keras.Model()\n    def f(self):\n        self.m", "keras.Model"),
        ("def f(x):\n    return f(x)\nf(1)", ""),
    ],
)  # fmt: skip
def test_a_value_is_followed_to_what_made_it(text: str, made: str) -> None:
    view, expression = last(text)

    assert made == view.values.made_by(expression)


def test_the_stages_of_a_pipeline_are_followed_through_its_names_and_past_what_may_be_left_out() -> (
    None
):
    text = """
import tensorflow as tf
ds = tf.data.Dataset.range(3)
ds = ds.map(f)
if training:
    ds = ds.shuffle(3)
ds = ds.apply(tf.data.experimental.ignore_errors())
ds.batch(2).prefetch(1)
"""
    view, expression = last(text)

    stages = view.values.stages(expression)

    names = ["tf.data.Dataset.range", "map", "ignore_errors", "batch", "prefetch"]
    assert names == [stage.name for stage in stages]
    assert view.values.is_pipeline(stages) and view.values.in_batches(stages)


@pytest.mark.parametrize(
    ("loop", "turns"),
    [
        ("for x in range(7): pass", 7),
        ("for x in range(3, 20): pass", 17),
        ("for x in range(0, 20, 5): pass", 4),
        ("for x in enumerate([1, 2, 3]): pass", 3),
        ("for x in zip(unknown, [1, 2]): pass", 2),
        ("for x in unknown: pass", math.inf),
        ("for x in unknown[:5]: pass", 5),
        ("for x in ds.take(4): pass", 4),
        ("few = [1, 2]\nfor x in few: pass", 2),
        ("while True: pass", math.inf),
    ],
)
def test_a_loop_turns_as_often_as_the_text_says(loop: str, turns: float) -> None:
    view = source(loop)
    found = [*view.every(ast.For), *view.every(ast.While)]

    assert turns == view.values.turns(found[0])


def test_a_loop_that_always_leaves_turns_once_and_a_function_in_a_loop_is_not_repeated() -> None:
    text = """
for x in unknown:
    once()
    break
for x in unknown:
    def inner():
        not_here()
    again()
"""
    view = source(text)
    calls = {call.func.id: call for call in view.every(ast.Call) if isinstance(call.func, ast.Name)}

    repeated = {name: bool(view.loops(call)) for name, call in calls.items()}

    assert {"once": False, "not_here": False, "again": True} == repeated


def test_a_place_is_the_word_that_is_called_as_an_editor_counts() -> None:
    text = "import os\ndef f():\n    é = (os\n        .path\n        ._exit(1))\n"
    view = source(text)

    place = view.place(next(view.every(ast.Call)))

    assert (5, 10, "f", "._exit(1))") == (place.line, place.column, place.function, place.code)
    assert "program.py:5" == str(place)


def notebook(*cells: str, as_list: bool = True) -> str:
    """A notebook with a title and these code cells."""
    code = [
        {
            "cell_type": "code",
            "execution_count": 1,
            "metadata": {},
            "outputs": [],
            "source": cell.splitlines(keepends=True) if as_list else cell,
        }
        for cell in cells
    ]
    title = {"cell_type": "markdown", "metadata": {}, "source": ["# A title"]}
    data = {"cells": [title, *code], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def test_the_cells_of_a_notebook_are_one_module_and_lines_are_told_by_their_cell() -> None:
    text = notebook(
        "import os\n!pip install x", "%%time\n\nos._exit(1)", "%%bash\nexit 1", "%%html\n<b>"
    )

    view = Source("a.ipynb", text)

    call = next(view.every(ast.Call))
    assert "os._exit" == view.called(call.func)
    assert (3, 3) == (view.place(call).cell, view.place(call).line)
    assert "a.ipynb:cell 3:3" == str(view.place(call))


@pytest.mark.parametrize(
    "cell",
    [
        "%matplotlib inline\nx = 1",
        "files = !ls *.jpg\nx = files",
        "if True:\n    !ls\n    x = 1",
        "x = 1\nx?\nprint??",
        "%time x = 1",
        "!pip install \\\n  a \\\n  b\nx = 1",
        "  x = 1\n  y = 2",
        "await x",
        "x = %timeit -o f()",
        "ls data/",
        "pip install keras",
        "x = (1\n  % 2)",
        "",
    ],
)
def test_what_a_notebook_can_run_can_be_read(cell: str) -> None:
    found = read_cells(notebook("import os", cell, "os.getcwd()"))

    assert {} == found.unread
    ast.parse(found.text) if "await" not in cell else None
    assert (4, 1) == (found.places[-1].cell, found.places[-1].line)


def test_a_cell_that_is_no_python_is_named_and_the_others_are_read() -> None:
    found = read_cells(notebook("import os", "this is no python", "os.getcwd()"))

    assert [3] == list(found.unread)
    assert "os.getcwd()" in found.text


@pytest.mark.parametrize("as_list", [True, False])
def test_a_notebook_is_written_as_it_was(as_list: bool) -> None:
    text = notebook("a = 1\nb = 2", "ü = '→'", as_list=as_list)

    changed = write_cells(text, {2: "a = 3\nb = 2"})

    assert text == write_cells(text, {})
    assert text.replace("a = 1", "a = 3") == changed


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"cells": 3}', "not json"])
def test_what_is_no_notebook_is_an_error(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  # of json, or ours
        read_cells(text)


def test_sums_of_sums_are_followed_in_no_time() -> None:
    """A network with fifty shortcuts has as many ways through it as a chessboard has grains."""
    doubled = "\n".join(
        f"x{n + 1} = tf.add(x{n}, x{n})\nf{n + 1} = lambda: f{n}() + f{n}()" for n in range(60)
    )
    text = (
        "import tensorflow.compat.v1 as tf\nx0 = tf.placeholder(tf.float32, [None])\n"
        f"f0 = lambda: x0\n{doubled}\ntf.square(x60 - x59)\ntf.log(x60)\n"
        "with tf.Session() as session:\n    session.run(x60, feed_dict={x0: f60()})\n"
    )
    source = Source("program.py", text)
    last = next(source.calls("tf.log")).args[0]

    assert source.origins.activation(last) == ""
    assert source.origins.needs(last, frozenset({"tf.placeholder"}))
    assert list(source.sessions.runs)
