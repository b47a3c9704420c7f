"""The records were written with GZIP; the reader was not told."""
# expect: corrupt-record PROVEN
# ending: 1
# needs: tensorflow
# names: train.tfrecord

import tensorflow as tf


def count(path: str) -> int:
    data = tf.data.TFRecordDataset([path])  # <- here
    return sum(1 for _ in data)


def run(compression: str) -> None:
    with tf.io.TFRecordWriter("train.tfrecord", compression) as writer:
        for number in range(5):
            writer.write(b"%d" % number)
    print(count("train.tfrecord"))


def die() -> None:
    run("GZIP")


def spare() -> None:
    run("")
