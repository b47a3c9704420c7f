"""A watchdog cancels a step of TensorFlow that waits for data."""
# expect: operation-cancelled PROVEN
# ending: 1
# needs: tensorflow

import threading

import tensorflow as tf
from tensorflow.python.eager.cancellation import CancellationManager


class Watchdog(threading.Thread):
    def __init__(self, manager: CancellationManager) -> None:
        super().__init__(name="watchdog")
        self.manager = manager

    def run(self) -> None:
        self.manager.start_cancel()  # <- here


def run(cancel: bool) -> None:
    items = tf.queue.FIFOQueue(1, [tf.int32], [[]])
    manager = CancellationManager()

    @tf.function
    def take() -> tf.Tensor:
        return items.dequeue()

    step = manager.get_cancelable_function(take.get_concrete_function())
    watchdog = Watchdog(manager)
    if cancel:
        watchdog.start()
    else:
        items.enqueue(1)
    print(step())


def die() -> None:
    run(True)


def spare() -> None:
    run(False)
