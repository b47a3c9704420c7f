"""A kernel crashes in a thread of TensorFlow's own, which Python does not know, while an epoch waits for its data."""
# expect: native-op-crashed LIKELY
# ending: SIGSEGV
# needs: tensorflow

import tensorflow as tf


def gradient(corner: tf.Tensor) -> tf.Tensor:
    return tf.raw_ops.CropAndResizeGradBoxes(  # <- here
        grads=tf.ones([1, 2, 2, 3]),
        image=tf.ones([1, 8, 8, 3]),
        boxes=tf.reshape(tf.repeat(corner, 4), [1, 4]),
        box_ind=[0],
        method="bilinear",
    )


class Epoch:
    def __init__(self, corners: list) -> None:
        data = tf.data.Dataset.from_tensor_slices(tf.constant(corners, tf.float32))
        self.data = data.map(gradient, num_parallel_calls=2)

    def run(self) -> None:
        for _ in self.data:
            pass


def die() -> None:
    Epoch([0.1] * 10 + [float("nan")]).run()


def spare() -> None:
    Epoch([0.1] * 10).run()
