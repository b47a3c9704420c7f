"""The indices of an earlier, larger feature map are used to send gradients back through a pooling."""
# expect: tf-check-failed

import tensorflow as tf

WINDOW = [1, 2, 2, 1]


def pool(x):
    return tf.nn.max_pool_with_argmax(x, WINDOW, WINDOW, "VALID")


@tf.function
def back(x, upstream, indices):
    return tf.raw_ops.MaxPoolGradWithArgmax(  # <- here
        input=x, grad=upstream, argmax=indices, ksize=WINDOW, strides=WINDOW, padding="VALID"
    )


def main():
    large = tf.random.uniform([1, 4, 64, 2])
    small = tf.random.uniform([1, 4, 4, 2])
    _, indices = pool(large)
    pooled, _ = pool(small)
    stale = tf.reshape(indices, [-1])[-tf.size(pooled) :]
    print(back(small, tf.ones_like(pooled), tf.reshape(stale, tf.shape(pooled))))  # <- here


main()
