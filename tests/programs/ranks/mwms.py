"""A job of TensorFlow: MultiWorkerMirroredStrategy, a step of which needs every worker."""

import json
import os

import faults
import tensorflow as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
task = json.loads(os.environ["TF_CONFIG"])["task"]
with strategy.scope():
    weights = tf.Variable(tf.zeros([1000]))


@tf.function
def train() -> tf.Tensor:
    def one() -> tf.Tensor:
        return tf.reduce_sum(weights + 1.0)

    return strategy.reduce("SUM", strategy.run(one), axis=None)


for step in range(10):
    faults.strike(f"{task['type']}/{task['index']}", step)
    train()  # <- step
