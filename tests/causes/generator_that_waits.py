"""A tf.data pipeline waits for its generator, which waits for a queue that nobody fills."""
# expect: waiting-forever LIKELY
# ending: hang
# hang_after: 3
# needs: tensorflow

import queue
from collections.abc import Iterator

import tensorflow as tf


class Frames:
    def __init__(self, count: int, end: bool) -> None:
        self.waiting: queue.Queue[int] = queue.Queue()
        for number in range(count):
            self.waiting.put(number)
        if end:
            self.waiting.put(-1)

    def __call__(self) -> Iterator[int]:
        while True:
            number = self.waiting.get()  # <- here
            if number < 0:
                return
            yield number


def run(end: bool) -> None:
    frames = Frames(5, end)
    data = tf.data.Dataset.from_generator(frames, output_signature=tf.TensorSpec((), tf.int32))
    for batch in data.map(lambda number: number * 2).batch(2).prefetch(1):
        print(batch.numpy())


def die() -> None:
    run(False)


def spare() -> None:
    run(True)
