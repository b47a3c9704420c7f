"""The backward pass of a pooling is written by hand; its window is wider than the feature map has become."""
# expect: division-in-op

import tensorflow as tf

WINDOW = [1, 2, 2, 1]
STEP = [1, 1, 1, 1]


class Pooling:
    def forward(self, x):
        self.shape = tf.shape(x)
        return x[:, ::1] * 0.5

    def backward(self, upstream):
        return tf.raw_ops.AvgPoolGrad(  # <- here
            orig_input_shape=self.shape,
            grad=upstream,
            ksize=WINDOW,
            strides=STEP,
            padding="VALID",
        )


def sensitivity(columns, pooling):
    strip = tf.ones([8, 7, columns, 9])
    out = pooling.forward(strip)
    return tf.reduce_sum(pooling.backward(tf.ones_like(out)))  # <- here


def main():
    for columns in (1, 2, 4):
        print(columns, float(sensitivity(columns, Pooling())))


main()
