"""Augmented copies of the data are written out as .npy files until the partition is full."""
# expect: disk-full
# disk: size=8m

import pathlib

import numpy as np


class Augmenter:
    def __init__(self, out, seed=0):
        self.out = pathlib.Path(out)
        self.out.mkdir(parents=True, exist_ok=True)
        self.rng = np.random.default_rng(seed)
        self.count = 0

    def flip(self, x):
        return x[:, ::-1]

    def noise(self, x):
        return np.clip(x + self.rng.normal(0, 8, x.shape), 0, 255).astype(np.uint8)

    def write(self, x):
        np.save(self.out / f"{self.count:06}.npy", x)  # <- here
        self.count += 1

    def run(self, pictures, copies):
        for picture in pictures:
            for _ in range(copies):
                self.write(self.noise(self.flip(picture)))


pictures = np.random.default_rng(1).integers(0, 255, (40, 128, 128, 3), dtype=np.uint8)
augmenter = Augmenter("disk/augmented")
augmenter.run(pictures, copies=10)
print("wrote", augmenter.count)
