"""A misspelt flag for XLA: when the first function is compiled the process exits with status 1, and no exception is raised."""
# expect: tf-check-failed PROVEN
# ending: 1
# needs: tensorflow
# alone: XLA reads its flags once for a process

import os

import tensorflow as tf


def double(number: tf.Tensor) -> tf.Tensor:
    return number * 2


def run(flags: str) -> None:
    os.environ["XLA_FLAGS"] = flags
    compiled = tf.function(double, jit_compile=True)  # <- here
    print(compiled(tf.constant(21)))  # <- here


def die() -> None:
    run("--xla_cpu_multi_thread_egen=false")


def spare() -> None:
    run("--xla_cpu_multi_thread_eigen=false")
