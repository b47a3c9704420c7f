"""The list of files names a picture that was deleted meanwhile; a worker function of the pipeline reads it."""
# expect: missing-file

import csv

import numpy as np
import tensorflow as tf

with open("labels.csv", "w", newline="") as f:
    out = csv.writer(f)
    for i in range(5):
        out.writerow([f"frame_{i}.png", i % 2])
        if i != 3:
            tf.io.write_file(f"frame_{i}.png", tf.io.encode_png(np.zeros((8, 8, 3), np.uint8)))


def rows():
    with open("labels.csv", newline="") as f:
        for name, label in csv.reader(f):
            yield name, int(label)


def read(name, label):
    return tf.io.decode_png(tf.io.read_file(name), channels=3), label  # <- here


signature = (tf.TensorSpec([], tf.string), tf.TensorSpec([], tf.int32))
frames = tf.data.Dataset.from_generator(rows, output_signature=signature).map(read)
for frame, label in frames:  # <- here
    print(frame.shape, int(label))
