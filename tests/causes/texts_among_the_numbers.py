"""A column of texts reaches Keras."""
# expect: dtype-mismatch PROVEN
# ending: 1
# needs: tensorflow

import numpy as np
import tensorflow as tf


def fit(rows: list[list[object]]) -> None:
    table = np.array(rows, dtype=object)
    if all(isinstance(cell, float) for row in rows for cell in row):
        table = table.astype(np.float32)
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(table, np.zeros((2, 1), np.float32), verbose=0)  # <- here


def die() -> None:
    fit([[1.0, "red"], [2.0, "blue"]])


def spare() -> None:
    fit([[1.0, 0.0], [2.0, 1.0]])
