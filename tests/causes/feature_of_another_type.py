"""Labels were written as floats and are read as integers, batch by batch, outside of a pipeline."""
# expect: record-schema-mismatch PROVEN
# ending: 1
# needs: tensorflow

import tensorflow as tf


def example(number: float) -> bytes:
    value = tf.train.Feature(float_list=tf.train.FloatList(value=[number]))
    features = tf.train.Features(feature={"label": value})
    return tf.train.Example(features=features).SerializeToString()


class Reader:
    def __init__(self, dtype: tf.DType) -> None:
        self.spec = {"label": tf.io.FixedLenFeature([1], dtype)}

    def labels(self, records: list[bytes]) -> tf.Tensor:
        return tf.io.parse_example(records, self.spec)["label"]  # <- here


def die() -> None:
    print(Reader(tf.int64).labels([example(1.0), example(2.0)]))


def spare() -> None:
    print(Reader(tf.float32).labels([example(1.0), example(2.0)]))
