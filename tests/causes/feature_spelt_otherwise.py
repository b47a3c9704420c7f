"""The records are compressed, and the reader asks for a feature by another spelling than the one that was written."""
# expect: record-schema-mismatch PROVEN
# ending: 1
# needs: tensorflow
# names: shard.tfrecord.gz

import tensorflow as tf


def write(path: str) -> None:
    with tf.io.TFRecordWriter(path, options="GZIP") as writer:
        for number in range(20):
            kind = tf.train.Feature(int64_list=tf.train.Int64List(value=[number]))
            features = tf.train.Features(feature={"Object/Class": kind})
            writer.write(tf.train.Example(features=features).SerializeToString())


def read(path: str, name: str) -> int:
    wanted = {name: tf.io.FixedLenFeature([], tf.int64)}
    records = tf.data.TFRecordDataset([path], compression_type="GZIP").batch(4)
    examples = records.map(lambda batch: tf.io.parse_example(batch, wanted))  # <- here
    return sum(int(tf.reduce_sum(example[name])) for example in examples)


def die() -> None:
    write("shard.tfrecord.gz")
    print(read("shard.tfrecord.gz", "object/class"))


def spare() -> None:
    write("shard.tfrecord.gz")
    print(read("shard.tfrecord.gz", "Object/Class"))
