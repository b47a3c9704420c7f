"""The settings name an optimizer that the table of the program does not know."""
# expect: uncaught-exception

import json

import keras
import numpy as np

OPTIMIZERS = {
    "sgd": keras.optimizers.SGD,
    "adam": keras.optimizers.Adam,
}


def make_optimizer(settings):
    kind = OPTIMIZERS[settings["optimizer"]]  # <- here
    return kind(learning_rate=settings["rate"])


def build(settings):
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(settings["width"]), keras.layers.Dense(1)])
    model.compile(make_optimizer(settings), "mse")
    return model


with open("settings.json", "w") as f:
    json.dump({"optimizer": "adamw", "rate": 0.01, "width": 8}, f)
with open("settings.json") as f:
    settings = json.load(f)
model = build(settings)
model.fit(np.ones((8, 4)), np.ones(8), verbose=0)
