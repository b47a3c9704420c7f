"""Pictures of one byte a pixel are divided by 255.0 and become eight bytes a pixel."""
# expect: widened-dtype
# memory: 700

import numpy as np


def load(count):
    rng = np.random.default_rng(0)
    return rng.integers(0, 256, (count, 96, 96, 3), dtype=np.uint8)


class Normaliser:
    def __init__(self, mean=0.5):
        self.mean = mean

    def __call__(self, pictures):
        scaled = pictures / 255.0  # <- here
        scaled -= self.mean
        return scaled


def histogram(pictures):
    return np.bincount(pictures[:100].ravel(), minlength=256)


pictures = load(3500)
print("loaded", pictures.nbytes >> 20, "MB", histogram(pictures)[:4])
x = Normaliser()(pictures)
print("ready", x.shape, x.dtype, float(x[0].mean()))
