"""Somebody presses Ctrl-C while the model is being fitted."""
# expect: interrupted
# send: SIGINT

import os

import keras
import numpy as np


class SayReady(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        if epoch == 1 and "VICTIM_READY" in os.environ:
            os.write(int(os.environ["VICTIM_READY"]), str(os.getpid()).encode())


def build():
    model = keras.Sequential(
        [keras.Input((32,)), keras.layers.Dense(64, activation="tanh"), keras.layers.Dense(1)]
    )
    model.compile("adam", "mse")
    return model


def train(epochs):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(2000, 32)).astype("float32")
    y = x.sum(axis=1)
    model = build()
    model.fit(x, y, epochs=epochs, batch_size=16, verbose=0, callbacks=[SayReady()])
    model.save("final.keras")


train(500)
