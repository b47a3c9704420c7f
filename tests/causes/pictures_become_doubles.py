"""Pictures of bytes divided by 255.0: eight bytes a pixel, in a helper that keeps them on an object."""
# expect: widened-dtype LIKELY
# ending: SIGKILL
# memory: 800
# needs: tensorflow

import numpy as np


class Training:
    def __init__(self, pictures: np.ndarray) -> None:
        self.pictures = pictures
        self.inputs: np.ndarray | None = None

    def prepare(self, kind: type) -> None:
        self.inputs = self.pictures / kind(255)  # <- here

    def copies(self, count: int) -> int:
        batches = [np.array(self.inputs, np.float32) for _ in range(count)]
        return sum(batch.size for batch in batches)


def run(count: int, kind: type) -> None:
    pictures = np.random.default_rng(0).integers(0, 256, (count, 224, 224, 3), np.uint8)
    training = Training(pictures)
    training.prepare(kind)
    training.copies(1)


def die() -> None:
    run(400, float)


def spare() -> None:
    run(100, np.float32)
