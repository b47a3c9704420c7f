"""What a line makes: told where shape and type are sure, and not at all where they are not."""

from __future__ import annotations

import pytest

from outlive.source.makes import Array, made_at
from outlive.source.parsed import Source

IMPORTS = "import numpy as np\nimport tensorflow as tf\nimport keras\n"
KNOWN = {
    "pixels": Array((1000, 32, 32), "uint8"),
    "table": Array((5000, 300), "float32"),
    "labels": Array((60000,), "int64"),
    "parts": Array((100, 30), "float32", count=12),
    "self.data": Array((10, 20), "float64"),
}


@pytest.mark.parametrize(
    ("line", "words", "size", "hint"),
    [
        ("x = np.zeros((4000, 500))", "4000×500 float64", 16_000_000, 'dtype="float32"'),
        ("x = np.ones([400, 5], dtype=np.uint8)", "400×5 uint8", 2000, ""),
        ("x = np.empty(table.shape, 'f4')", None, 0, ""),
        ("x = np.full((n, 10), 1.5)", "70×10 float64", 5600, ""),
        ("x = pixels / 255", "1000×32×32 float64", 8_192_000, "one batch at a time"),
        ("x = pixels.astype(np.float64)", "1000×32×32 float64", 8_192_000, '.astype("float32")'),
        ("x = pixels.astype('float32') / 255.0", "1000×32×32 float32", 4_096_000, ""),
        ("x = tf.cast(pixels, tf.float32)", "1000×32×32 float32", 4_096_000, ""),
        ("x = tf.constant(table)", "5000×300 float32", 6_000_000, "in batches"),
        ("x = np.concatenate([table, table])", "10000×300 float32", 12_000_000, "np.empty"),
        ("x = np.concatenate(parts)", "1200×30 float32", 144_000, "np.empty"),
        ("x = np.stack(parts)", "12×100×30 float32", 144_000, "np.empty"),
        ("x = keras.utils.to_categorical(labels, 1000)", "60000×1000 float64", 480_000_000, "sparse_categorical_crossentropy"),
        ("x = tf.one_hot(labels, depth=10)", "60000×10 float32", 2_400_000, "sparse"),
        ("x = table[:, None] - table[None]", "5000×5000×300 float32", 30_000_000_000, "blocks of rows"),
        ("x = table @ w", "5000×40 float32", 800_000, ""),
        ("x = np.random.rand(300, 200)", "300×200 float64", 480_000, ""),
        ("x = np.zeros(len(labels))", "60000 float64", 480_000, ""),
        ("x = np.zeros((labels.shape[0], 2))", "60000×2 float64", 960_000, ""),
        ("x = self.data * 2.0", "10×20 float64", 1600, ""),
        ("x = np.outer(labels, labels)", "60000×60000 int64", 28_800_000_000, ""),
        ("buffer[5:] = 1", "900×1000 float64", 7_200_000, ""),
        ("buffer += 1", "900×1000 float64", 7_200_000, ""),
        # what is not sure makes nothing
        ("x = np.zeros((unknown, 5))", None, 0, ""),
        ("x = other / 255", None, 0, ""),
        ("x = table[3:]", None, 0, ""),
        ("x = np.concatenate([table, other])", None, 0, ""),
        ("x = np.concatenate([table, table], axis=1)", None, 0, ""),
        ("x = load(table)", None, 0, ""),
        ("x = np.zeros(*sides)", None, 0, ""),
        ("x = np.zeros((5, 5), dtype=kind)", None, 0, ""),
    ],
)  # fmt: skip
def test_what_a_line_makes(line: str, words: str | None, size: int, hint: str) -> None:
    text = f"{IMPORTS}n = 70\nw = np.ones((300, 40), np.float32)\nbuffer = np.zeros((900, 1000))\n{line}\n"

    made = made_at(Source("", text), 7, KNOWN)

    if words is None:
        assert made is None
        return
    assert made is not None
    assert (words, size) == (made.array.words, made.array.bytes)
    assert hint in made.change


def test_a_parameter_is_what_the_only_call_hands_over() -> None:
    text = f"{IMPORTS}points = np.ones((50, 3))\ndef spread(cloud):\n    return cloud[:, None] - cloud[None]\nspread(points)\n"

    made = made_at(Source("", text), 6, {})

    assert made is not None
    assert "50×50×3 float64" == made.array.words


def test_a_side_that_the_only_call_hands_over_is_known() -> None:
    text = f"{IMPORTS}def simulate(runs, steps):\n    return np.random.normal(0.0, 1.0, (runs, steps))\nsimulate(30, 20)\n"

    made = made_at(Source("", text), 5, {})

    assert made is not None
    assert "30×20 float64" == made.array.words


def test_a_parameter_of_a_function_that_is_called_twice_is_not_known() -> None:
    text = f"{IMPORTS}points = np.ones((50, 3))\ndef spread(cloud):\n    return cloud[:, None] - cloud[None]\nspread(points)\nspread(points[:2])\n"

    assert made_at(Source("", text), 6, {}) is None
