"""The .weights.h5 file was only half uploaded; the model loads it before it predicts."""
# expect: corrupt-weights

import os

import keras
import numpy as np


def build():
    return keras.Sequential(
        [
            keras.Input((16,)),
            keras.layers.Dense(64, activation="relu"),
            keras.layers.Dense(3, activation="softmax"),
        ]
    )


class Classifier:
    def __init__(self, path):
        self.model = build()
        self.model.load_weights(path)  # <- here

    def classify(self, rows):
        return np.argmax(self.model.predict(rows, verbose=0), axis=1)


build().save_weights("best.weights.h5")
os.truncate("best.weights.h5", os.path.getsize("best.weights.h5") // 2)
print(Classifier("best.weights.h5").classify(np.ones((2, 16))))
