"""Records of an older writer lack a feature; the error names the feature, not the record."""
# expect: record-schema-mismatch PROVEN
# ending: 1
# needs: tensorflow
# names: old.tfrecord

import tensorflow as tf


def write(path: str, without: int) -> None:
    with tf.io.TFRecordWriter(path) as writer:
        for number in range(10):
            value = tf.train.Feature(int64_list=tf.train.Int64List(value=[number]))
            feature = {"id": value} if number == without else {"id": value, "label": value}
            features = tf.train.Features(feature=feature)
            writer.write(tf.train.Example(features=features).SerializeToString())


def parse(record: tf.Tensor) -> tf.Tensor:
    spec = {
        "id": tf.io.FixedLenFeature([], tf.int64),
        "label": tf.io.FixedLenFeature([], tf.int64),
    }
    return tf.io.parse_single_example(record, spec)["label"]  # <- here


def run(without: int) -> None:
    write("new.tfrecord", -1)
    write("old.tfrecord", without)
    data = tf.data.TFRecordDataset(["new.tfrecord", "old.tfrecord"])
    print(sum(int(label) for label in data.map(parse)))


def die() -> None:
    run(6)


def spare() -> None:
    run(-1)
