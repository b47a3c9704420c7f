"""A future fails, its exception is asked for and handled, the task is tried once more with other data."""
# expect: nothing

from concurrent.futures import ThreadPoolExecutor, as_completed

import tensorflow as tf


def score(width):
    return float(tf.reduce_sum(tf.ones([1, width]) @ tf.ones([4, 1])))


scores = {}
with ThreadPoolExecutor(2) as pool:
    futures = {pool.submit(score, width): width for width in (4, 5, 4)}
    for future in as_completed(futures):
        error = future.exception()
        if error is not None:
            print("bad width", futures[future], type(error).__name__)
            future = pool.submit(score, 4)
        scores[futures.get(future, "again")] = future.result()
print(scores)
