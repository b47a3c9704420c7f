"""Nothing but row numbers is shuffled, eight bytes each; what TensorFlow takes beside each of them is twenty times as much."""
# expect: shuffle-buffer-too-large PROVEN
# ending: SIGKILL
# memory: 650
# needs: tensorflow

import tensorflow as tf


class Rows:
    """The numbers of the rows of a table that lies on a disk, in an order that is never the same."""

    def __init__(self, count: int, batch_size: int) -> None:
        self.count = count
        self.batch_size = batch_size

    def mixed(self) -> tf.data.Dataset:
        numbers = tf.data.Dataset.range(20 * self.count)
        return numbers.shuffle(self.count, reshuffle_each_iteration=True)  # <- here

    def batches(self) -> tf.data.Dataset:
        return self.mixed().batch(self.batch_size, drop_remainder=True)


def run(rows: int) -> int:
    read = 0
    for batch in Rows(rows, batch_size=512).batches().take(4):
        read += len(batch)
    return read


def die() -> None:
    print(run(6_000_000))


def spare() -> None:
    print(run(10_000))
