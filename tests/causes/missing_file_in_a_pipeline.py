"""A file of the list was moved; tf.data meets it in a thread of its own."""
# expect: missing-file PROVEN
# example: yes
# ending: 1
# needs: tensorflow

from pathlib import Path

import tensorflow as tf


def length(path: tf.Tensor) -> tf.Tensor:
    text = tf.io.read_file(path)  # <- here
    return tf.strings.length(text)


def run(names: list[str]) -> None:
    Path("texts").mkdir()
    for name in ("one.txt", "two.txt"):
        Path("texts", name).write_text(name)
    paths = [f"texts/{name}" for name in names]
    lengths = tf.data.Dataset.from_tensor_slices(paths).map(length, num_parallel_calls=2)
    print([int(one) for one in lengths])


def die() -> None:
    run(["one.txt", "tow.txt"])


def spare() -> None:
    run(["one.txt", "two.txt"])
