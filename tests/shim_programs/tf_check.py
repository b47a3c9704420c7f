"""A real CHECK failure in TensorFlow: the message goes to stderr by native code, then SIGABRT."""

import common

shim = common.start()
import tensorflow as tf  # noqa: E402

common.refresh(shim)


def pool(x):
    return tf.nn.max_pool_with_argmax(x, 2, 2, "VALID", include_batch_in_index=True)


def unpool(y, argmax, like):
    return tf.raw_ops.MaxPoolGradWithArgmax(
        input=like, grad=y, argmax=argmax, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID"
    )


x = tf.random.uniform([1, 32, 32, 4])
p1, a1 = pool(x)
p2, a2 = pool(p1)
unpool(p2, a1[:, 8:16, 8:16], p1)
