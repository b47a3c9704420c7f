"""A model with more weights than the limit has room for: the line that builds it."""
# expect: memory-limit-reached PROVEN
# ending: SIGKILL
# memory: 900
# needs: tensorflow

import keras


class Builder:
    def __init__(self, width: int) -> None:
        self.width = width

    def build(self, depth: int) -> keras.Model:
        model = keras.Sequential([keras.Input((self.width,))])
        for _ in range(depth):
            model.add(keras.layers.Dense(self.width))  # <- here
        return model


def die() -> None:
    Builder(6000).build(12)


def spare() -> None:
    Builder(60).build(3)
