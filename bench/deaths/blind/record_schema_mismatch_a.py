"""The records hold 'image_raw', the reader asks for 'image/encoded'."""
# expect: record-schema-mismatch

import numpy as np
import tensorflow as tf

SCHEMA = {
    "image/encoded": tf.io.FixedLenFeature([], tf.string),
    "label": tf.io.FixedLenFeature([], tf.int64),
}


def to_example(image, label):
    png = tf.io.encode_png(image).numpy()
    feature = {
        "image_raw": tf.train.Feature(bytes_list=tf.train.BytesList(value=[png])),
        "label": tf.train.Feature(int64_list=tf.train.Int64List(value=[label])),
    }
    return tf.train.Example(features=tf.train.Features(feature=feature))


def parse(record):
    parsed = tf.io.parse_single_example(record, SCHEMA)  # <- here
    return tf.io.decode_png(parsed["image/encoded"]), parsed["label"]


with tf.io.TFRecordWriter("digits.tfrecord") as writer:
    for n in range(4):
        example = to_example(np.zeros((8, 8, 1), np.uint8), n)
        writer.write(example.SerializeToString())
for image, label in tf.data.TFRecordDataset("digits.tfrecord").map(parse):  # <- here
    print(image.shape, int(label))
