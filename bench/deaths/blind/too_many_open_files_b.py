"""A cache of memory-mapped feature files keeps each of them open, in the generator of a data set."""
# expect: too-many-open-files

import mmap
import resource

import numpy as np
import tensorflow as tf

for n in range(200):
    np.full(1024, n, np.float32).tofile(f"clip_{n:03}.bin")
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
opened = {}


def features(path):
    if path not in opened:
        handle = open(path, "rb")  # noqa: SIM115  # <- here
        opened[path] = handle, mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)  # <- here
    return np.frombuffer(opened[path][1], np.float32)


def clips():
    for n in range(200):
        yield features(f"clip_{n:03}.bin")


spec = tf.TensorSpec([1024], tf.float32)
data = tf.data.Dataset.from_generator(clips, output_signature=spec).batch(10)
for batch in data:
    print(float(tf.reduce_mean(batch)))
