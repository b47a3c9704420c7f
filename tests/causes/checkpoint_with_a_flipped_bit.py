"""A checkpoint's data file was changed by a bad copy; restoring checks it, below several of TensorFlow's frames."""
# expect: corrupt-weights PROVEN
# ending: 1
# needs: tensorflow

from pathlib import Path

import tensorflow as tf


def run(flip: bool) -> None:
    saved = tf.train.Checkpoint(weights=tf.Variable(tf.zeros([500])))
    path = saved.write("backup/step")
    data = Path(f"{path}.data-00000-of-00001")
    if flip:
        content = bytearray(data.read_bytes())
        content[100] ^= 4
        data.write_bytes(content)
    fresh = tf.train.Checkpoint(weights=tf.Variable(tf.ones([500])))
    fresh.read(path)  # <- here


def die() -> None:
    run(True)


def spare() -> None:
    run(False)
