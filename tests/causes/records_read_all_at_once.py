"""tf.data opens so many record files at once that TensorFlow cannot open the next one."""
# expect: too-many-open-files PROVEN
# ending: 1
# open_files: 100
# needs: tensorflow

import tensorflow as tf


def read_all(count: int, at_once: int) -> int:
    names = [f"part-{number:03}.tfrecord" for number in range(count)]
    for name in names:
        with tf.io.TFRecordWriter(name) as writer:
            for _ in range(3):
                writer.write(b"record")
    files = tf.data.Dataset.from_tensor_slices(names)
    records = files.interleave(tf.data.TFRecordDataset, cycle_length=at_once)
    return sum(1 for _ in records)  # <- here


def die() -> None:
    print(read_all(200, at_once=200))


def spare() -> None:
    print(read_all(20, at_once=4))
