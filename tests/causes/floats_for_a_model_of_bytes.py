"""A model that takes uint8 is given a picture scaled to 0…1."""
# expect: dtype-mismatch PROVEN
# ending: 1
# needs: tensorflow

import numpy as np
import tensorflow as tf


class Quantised(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([1, 4, 4, 3], tf.uint8, name="image")])
    def __call__(self, image: tf.Tensor) -> tf.Tensor:
        return tf.reduce_max(image)


def classify(model: Quantised, picture: np.ndarray) -> int:
    return int(model(tf.constant(picture)))  # <- here


def die() -> None:
    picture = np.zeros((1, 4, 4, 3), np.uint8)
    print(classify(Quantised(), (picture / 255.0).astype(np.float32)))


def spare() -> None:
    print(classify(Quantised(), np.zeros((1, 4, 4, 3), np.uint8)))
