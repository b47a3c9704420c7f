"""A byte in the middle of the second shard flipped on disk; training reads the shards interleaved."""
# expect: corrupt-record

import tensorflow as tf


def write_shard(path, start):
    with tf.io.TFRecordWriter(path) as writer:
        for i in range(start, start + 50):
            feature = {"x": tf.train.Feature(int64_list=tf.train.Int64List(value=[i]))}
            example = tf.train.Example(features=tf.train.Features(feature=feature))
            writer.write(example.SerializeToString())


def damage(path):
    with open(path, "r+b") as f:
        f.seek(500)
        byte = f.read(1)
        f.seek(500)
        f.write(bytes([byte[0] ^ 0xFF]))


def parse(record):
    return tf.io.parse_single_example(record, {"x": tf.io.FixedLenFeature([], tf.int64)})["x"]


shards = [f"train-{n:05}.tfrecord" for n in range(3)]
for n, shard in enumerate(shards):
    write_shard(shard, n * 50)
damage(shards[1])
dataset = tf.data.Dataset.from_tensor_slices(shards)
dataset = dataset.interleave(tf.data.TFRecordDataset, cycle_length=2).map(parse).batch(8)  # <- here
print("sum", sum(int(tf.reduce_sum(batch)) for batch in dataset))  # <- here
