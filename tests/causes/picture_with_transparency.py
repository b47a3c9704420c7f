"""One picture of a folder has four channels; the detector's signature takes three."""
# expect: shape-mismatch PROVEN
# ending: 1
# needs: tensorflow PIL
# names: cat_1.png

import numpy as np
import tensorflow as tf
from PIL import Image


class Detector(tf.Module):
    @tf.function(input_signature=[tf.TensorSpec([1, None, None, 3], tf.uint8)])
    def detect(self, pictures: tf.Tensor) -> tf.Tensor:
        return tf.reduce_sum(tf.cast(pictures, tf.float32))


def look(detector: Detector, path: str) -> float:
    pixels = np.asarray(Image.open(path))  # <- here
    return float(detector.detect(tf.constant(pixels)[tf.newaxis]))


def run(mode: str) -> None:
    for number, kind in enumerate(["RGB", mode, "RGB"]):
        Image.new(kind, (30, 20)).save(f"cat_{number}.png")
    detector = Detector()
    print([look(detector, f"cat_{number}.png") for number in range(3)])


def die() -> None:
    run("RGBA")


def spare() -> None:
    run("RGB")
