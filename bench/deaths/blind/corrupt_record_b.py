"""The writer of the record file was killed: the file ends inside a record. fit() reads it."""
# expect: corrupt-record

import os

import keras
import numpy as np
import tensorflow as tf

PATH = "features.tfrecord"


def export(rows):
    with tf.io.TFRecordWriter(PATH) as writer:
        for row in rows:
            writer.write(row.astype(np.float32).tobytes())


def decode(record):
    row = tf.reshape(tf.io.decode_raw(record, tf.float32), [9])
    return row[:8], row[8:]


def main():
    export(np.random.default_rng(0).random((120, 9)))
    os.truncate(PATH, os.path.getsize(PATH) - 21)
    data = tf.data.TFRecordDataset(PATH).map(decode).batch(16).prefetch(2)  # <- here
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    model.fit(data, epochs=2, verbose=0)  # <- here


main()
