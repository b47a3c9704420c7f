"""The boxes were written as floats of any number, the reader wants four integers; a batch is parsed eagerly."""
# expect: record-schema-mismatch

import tensorflow as tf


def make(boxes):
    value = tf.train.Feature(float_list=tf.train.FloatList(value=boxes))
    return tf.train.Example(features=tf.train.Features(feature={"bbox": value})).SerializeToString()


class BoxReader:
    def __init__(self, path):
        self.path = path
        self.features = {"bbox": tf.io.FixedLenFeature([4], tf.int64)}  # <- here

    def __iter__(self):
        for records in tf.data.TFRecordDataset(self.path).batch(3):
            yield tf.io.parse_example(records, self.features)["bbox"]  # <- here


with tf.io.TFRecordWriter("boxes.tfrecord") as writer:
    for k in range(6):
        writer.write(make([0.1, 0.2, 0.5, 0.1 * k]))
for boxes in BoxReader("boxes.tfrecord"):
    print(boxes.shape)
