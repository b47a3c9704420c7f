"""TensorFlow cannot start the threads of a pipeline, and aborts."""
# expect: too-many-threads PROVEN
# ending: SIGABRT
# tasks: 60
# needs: tensorflow

import threading

import tensorflow as tf


def wait_for(count: int) -> threading.Event:
    done = threading.Event()
    for _ in range(count):
        threading.Thread(target=done.wait, args=(60,), daemon=True).start()
    return done


def run(waiting: int, workers: int) -> None:
    done = wait_for(waiting)
    options = tf.data.Options()
    options.threading.private_threadpool_size = workers
    numbers = tf.data.Dataset.range(100).map(lambda x: x + 1, num_parallel_calls=2)
    print(sum(int(number) for number in numbers.with_options(options)))  # <- here
    done.set()


def die() -> None:
    run(waiting=2, workers=80)


def spare() -> None:
    run(waiting=2, workers=2)
