"""Five pipelines, each of which alone holds more than the group that this program is run in. For `test_bound`.

``bare``: each in a fork (made before TensorFlow's first operation), which dies; prints the signals.
``all``: one after the other in this process; prints what was read.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"

import tensorflow as tf

COUNT, SIDE = 60, 836  # 8.4 MB each, half a gigabyte in all
ROWS, COLUMNS = 1500, 1100

#: Where a reader is slow, everything fills that can; a bare program does not live so long.
SECONDS_OF_A_SLOW_READER = 60.0


def picture(number: tf.Tensor) -> tf.Tensor:
    return tf.fill([SIDE, SIDE, 3], tf.cast(number, tf.float32))


def pictures() -> tf.data.Dataset:
    return tf.data.Dataset.range(COUNT).map(picture)


def shuffled() -> tf.data.Dataset:
    return pictures().shuffle(COUNT)  # <- shuffle


def prefetched() -> tf.data.Dataset:
    return pictures().prefetch(COUNT)


class Loader:
    def cached(self) -> tf.data.Dataset:
        return pictures().cache()


def mapped() -> tf.data.Dataset:
    return tf.data.Dataset.range(COUNT).map(picture, num_parallel_calls=COUNT)


def ragged() -> tf.data.Dataset:
    """Photographs of three sizes, which no shape tells beforehand."""
    photos = [
        tf.io.encode_jpeg(tf.fill([ROWS + 100 * size, COLUMNS, 3], tf.cast(30 + size, tf.uint8)))
        for size in range(3)
    ]
    encoded = tf.data.Dataset.from_tensor_slices(photos * (COUNT // 3))
    decoded = encoded.map(lambda photo: tf.cast(tf.io.decode_jpeg(photo), tf.float32))
    return decoded.prefetch(COUNT)


PIPELINES: dict[str, Callable[[], tf.data.Dataset]] = {
    "shuffled": shuffled,
    "prefetched": prefetched,
    "cached": Loader().cached,
    "mapped": mapped,
    "ragged": ragged,
}


#: What runs ahead of its reader; the others fill as they are read.
FILLED_AHEAD = ("prefetched", "mapped", "ragged")


def read(dataset: tf.data.Dataset, slow: bool) -> list[int]:
    """The first number of each element, in order."""
    found = []
    for element in dataset:
        if slow and not found:
            time.sleep(SECONDS_OF_A_SLOW_READER)
        found.append(int(element[0, 0, 0]))
    return found


def alone(name: str) -> int:
    """Read one in a fork; how it ended."""
    child = os.fork()
    if not child:
        with open("/proc/self/oom_score_adj", "w") as file:
            file.write("1000")
        read(PIPELINES[name](), slow=name in FILLED_AHEAD)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    return os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0


if __name__ == "__main__":
    if sys.argv[1] == "bare":
        print(json.dumps({name: alone(name) for name in PIPELINES}))
    else:
        found = {}
        for name, make in PIPELINES.items():
            made = make()
            found[name] = [read(made, slow=False) for _ in range(2)]
            del made
        print(json.dumps(found))
