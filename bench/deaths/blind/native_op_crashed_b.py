"""'As many as there are' was written as the largest number for cycle_length; the iterator of tf.data crashes."""
# expect: native-op-crashed

import sys

import tensorflow as tf


def shards(count):
    for n in range(count):
        with open(f"part-{n}.txt", "w") as f:
            f.writelines(f"{n},{line}\n" for line in range(10))
    return [f"part-{n}.txt" for n in range(count)]


def lines(paths, open_at_once=sys.maxsize):
    files = tf.data.Dataset.from_tensor_slices(paths)
    return files.interleave(  # <- here
        tf.data.TextLineDataset,
        cycle_length=open_at_once,  # <- here
        block_length=2,
    )


def count(paths):
    total = 0
    for _ in lines(paths).batch(8):  # <- here
        total += 1
    return total


print("batches", count(shards(4)))
