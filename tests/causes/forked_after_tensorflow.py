"""Workers are forked after the first operation of TensorFlow, and use it: its threads are not in them."""
# expect: forked-after-threads PROVEN
# ending: hang
# hang_after: 4
# needs: tensorflow

import multiprocessing

import tensorflow as tf


def work(number: int) -> float:
    values = tf.random.uniform([600, 600]) + float(number)  # <- here
    return float(tf.reduce_sum(tf.matmul(values, values)))  # <- here


def run(method: str) -> None:
    size = 600
    print(float(tf.reduce_sum(tf.matmul(tf.ones([size, size]), tf.ones([size, size])))))
    with multiprocessing.get_context(method).Pool(2) as pool:
        print(pool.map(work if method == "fork" else abs, [1, 2]))


def die() -> None:
    run("fork")


def spare() -> None:
    run("spawn")


# example: yes
