"""Labels 1 to 5 for a model with five outputs, in a training step that TensorFlow compiled."""
# expect: shape-mismatch PROVEN
# ending: 1
# needs: tensorflow

import tensorflow as tf

weights = tf.Variable(tf.zeros([3, 5]))


@tf.function
def step(inputs: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
    logits = tf.matmul(inputs, weights)
    losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)  # <- here
    return tf.reduce_mean(losses)


def train(shift: int) -> None:
    for number in range(3):
        labels = tf.constant([0, 1, 4]) + shift
        print(number, float(step(tf.ones([3, 3]), labels)))


def die() -> None:
    train(1)


def spare() -> None:
    train(0)
