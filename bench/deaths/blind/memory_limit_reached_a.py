"""A model whose two wide layers and the moments of Adam need more than the container of 1000 MB gives."""
# expect: memory-limit-reached
# memory: 1000

import keras
import numpy as np


def build(width):
    model = keras.Sequential(
        [
            keras.Input((width,)),
            keras.layers.Dense(width, activation="relu"),  # <- here
            keras.layers.Dense(width),  # <- here
        ]
    )
    model.compile(keras.optimizers.Adam(1e-3), "mse")
    return model


def main():
    width = 7000
    x = np.random.default_rng(0).random((32, width), dtype=np.float32)
    model = build(width)  # <- here
    print("parameters", model.count_params())
    model.fit(x, x, batch_size=8, epochs=2, verbose=0)  # <- here
    print("done")


main()
