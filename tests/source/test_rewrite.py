"""How the user's own line would read: the right argument of the right call, and nothing where that is not certain."""

from __future__ import annotations

import pytest

from outlive.model.findings import Change, Edit, Place, Remedy, Wrap
from outlive.source.rewrite import rewriting
from outlive.units.causes.widened_dtype import _narrower

SHUFFLE = Change("shuffle", "buffer_size", "95", 0)
CACHE = Change("cache", "filename", '"dataset.cache"', 0)
MAP = Change("map", "num_parallel_calls", "4", 1)
TYPES = _narrower("float64", "uint8")


def after(text: str, line: int, *changes: Change) -> str | None:
    code = text.replace("\r\n", "\n").split("\n")[line - 1].strip()
    found = rewriting(text, Place("train.py", line, "main", code), (Remedy("", changes=changes),))
    return found.after if found else None


@pytest.mark.parametrize(
    ("text", "line", "changes", "expected"),
    [
        ("d = d.shuffle(5000)", 1, [SHUFFLE], "d = d.shuffle(95)"),
        ("d = d.shuffle(buffer_size=5000, seed=1)", 1, [SHUFFLE], "d = d.shuffle(buffer_size=95, seed=1)"),
        ("d = d.shuffle(SIZE * 2).batch(8)", 1, [SHUFFLE], "d = d.shuffle(95).batch(8)"),
        ("d = (d\n    .map(f)\n    .shuffle(5000)  # .shuffle(1)\n    .batch(8))", 3, [SHUFFLE], "    .shuffle(95)  # .shuffle(1)"),
        ("d = d.shuffle(\n    5000,\n)", 1, [SHUFFLE], "    95,"),
        ("é = 'ü'; d = d.shuffle(5000)", 1, [SHUFFLE], "é = 'ü'; d = d.shuffle(95)"),
        ("a = 1\n\x0c\nd = d.shuffle(5000)", 3, [SHUFFLE], "d = d.shuffle(95)"),
        ("a = 1\r\nd = d.shuffle(5000)\r\nb = 2\r\n", 2, [SHUFFLE], "d = d.shuffle(95)"),
        ("d = d.cache()", 1, [CACHE], 'd = d.cache("dataset.cache")'),
        ("d = d.cache('')", 1, [CACHE], 'd = d.cache("dataset.cache")'),
        ("d = d.map(f, num_parallel_calls=tf.data.AUTOTUNE)", 1, [MAP], "d = d.map(f, num_parallel_calls=4)"),
        ("d = d.map(f, 64)", 1, [MAP], "d = d.map(f, 4)"),
        ("x = np.zeros((9, 9), dtype=np.float64)", 1, TYPES, "x = np.zeros((9, 9), dtype=np.float32)"),
        ("x = y.astype(float)", 1, TYPES, 'x = y.astype("float32")'),
        ("x = y.astype('float64') / 255", 1, TYPES, 'x = y.astype("float32") / 255'),
        ("x = f(np.asarray(y, dtype='double'))", 1, TYPES, "x = f(np.asarray(y, dtype=\"float32\"))"),
    ],
)  # fmt: skip
def test_the_argument_is_changed_and_nothing_else(
    text: str, line: int, changes: list[Change], expected: str
) -> None:
    assert expected == after(text, line, *changes)


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        pytest.param("d = d.shuffle(*words)", [SHUFFLE], id="what it holds is not written here"),
        pytest.param("d = d.shuffle(**words)", [SHUFFLE], id="nor here"),
        pytest.param("d = d.shuffle(1).shuffle(2)", [SHUFFLE], id="which of the two?"),
        pytest.param("d = 'd.shuffle(5000)'", [SHUFFLE], id="a text"),
        pytest.param("d = make(d)", [SHUFFLE], id="somewhere else"),
        pytest.param("d = d.shuffle(5000", [SHUFFLE], id="no Python"),
        pytest.param("d = d.map(f)", [MAP], id="it is not parallel"),
        pytest.param("x = np.zeros(9, dtype=np.float32)", TYPES, id="narrow already"),
        pytest.param("x = np.zeros(9, dtype=kind)", TYPES, id="a type that is not known here"),
    ],
)
def test_nothing_is_said_where_it_is_not_certain(text: str, changes: list[Change]) -> None:
    assert after(text, 1, *changes) is None


METHOD = """import tensorflow as tf

class Trainer:
    @tf.function
    def step(self, batch, rate):
        return batch * rate

for rate in rates:
    trainer.step(batch, rate * 2)
"""
FUNCTION = """from tensorflow import constant, function

def slow(batch, *, rate=1.0):
    return batch * rate

fast = function(slow)
while True:
    fast(batch,
         rate=next(rates))
"""


@pytest.mark.parametrize(
    ("text", "wrap", "line", "expected"),
    [
        (METHOD, Wrap("step", "rate", "tf.constant"), 5, "    trainer.step(batch, tf.constant(rate * 2))"),
        (METHOD, Wrap("step", "batch", "tf.constant"), 5, "    trainer.step(tf.constant(batch), rate * 2)"),
        (FUNCTION, Wrap("slow", "rate", "tf.constant"), 3, "         rate=constant(next(rates)))"),
        (METHOD + "trainer.step(batch, 3)\n", Wrap("step", "rate", "tf.constant"), 5, None),
        (METHOD, Wrap("step", "other", "tf.constant"), 5, None),
        (METHOD.replace("import tensorflow as tf", "from keras import tf"), Wrap("step", "rate", "tf.constant"), 5, None),
        (METHOD.replace("batch, rate * 2", "*both"), Wrap("step", "rate", "tf.constant"), 5, None),
    ],
)  # fmt: skip
def test_a_number_is_handed_over_as_a_tensor_where_the_only_call_is(
    text: str, wrap: Wrap, line: int, expected: str | None
) -> None:
    place = Place("train.py", line, "", text.splitlines()[line - 1].strip())

    found = rewriting(text, place, (Remedy("", changes=(wrap,)),))

    assert expected == (found.after if found else None)


def test_a_file_that_has_changed_since_is_left_alone() -> None:
    place = Place("train.py", 1, "main", "d = d.shuffle(5000)")

    assert rewriting("d = d.shuffle(60)", place, (Remedy("", changes=(SHUFFLE,)),)) is None
    assert rewriting("", place, (Remedy("", changes=(SHUFFLE,)),)) is None


def test_the_edits_of_a_rule_do_as_well_and_the_remedy_is_named() -> None:
    text = "import numpy as np\nx = np.zeros((9, 9))\n"
    edit = Edit(2, 19, 2, 19, ", dtype=np.float32")
    place = Place("train.py", 2, "", "x = np.zeros((9, 9))")

    found = rewriting(text, place, (Remedy("Say the type."), Remedy("Lint.", edits=(edit,))))

    assert found is not None
    assert (1, "train.py") == (found.remedy, found.file)
    assert [("-", 2), ("+", 2)] == [(row.sign, row.number) for row in found.rows]
    assert "x = np.zeros((9, 9), dtype=np.float32)" == found.after
