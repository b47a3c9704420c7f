"""One sample is given to a model of the user's own without a batch dimension; Keras hides its own frames."""
# expect: shape-mismatch PROVEN
# ending: 1
# needs: tensorflow

import numpy as np
import tensorflow as tf


class Net(tf.keras.Model):
    def __init__(self) -> None:
        super().__init__()
        self.stem = tf.keras.layers.Conv2D(4, 3, name="stem")

    def call(self, x: tf.Tensor) -> tf.Tensor:
        return self.stem(x)  # <- here


def die() -> None:
    photo = np.zeros((16, 16, 3), np.float32)
    print(Net()(photo).shape)  # <- here


def spare() -> None:
    photo = np.zeros((16, 16, 3), np.float32)
    print(Net()(photo[None]).shape)
