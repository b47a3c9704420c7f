"""A callback ends the whole program with status 3 when the loss does not fall."""
# expect: exited-by-program

import sys

import keras
import numpy as np


class StopWhenStuck(keras.callbacks.Callback):
    def __init__(self, patience):
        super().__init__()
        self.patience = patience
        self.best = float("inf")
        self.waited = 0

    def on_epoch_end(self, epoch, logs=None):
        if logs["loss"] < self.best - 0.5:
            self.best, self.waited = logs["loss"], 0
            return
        self.waited += 1
        if self.waited >= self.patience:
            sys.exit(3)  # <- here


model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
x = np.ones((32, 2))
model.fit(x, np.ones(32), epochs=50, verbose=0, callbacks=[StopWhenStuck(2)])
model.save("final.keras")
