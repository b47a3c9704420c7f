"""The anchors file lies beside the script of a colleague, not in this folder."""
# expect: missing-file

import json

import numpy as np
import tensorflow as tf


class AnchorBox:
    def __init__(self, config):
        self.scale = config["scale"]
        self.priors = np.loadtxt(config["anchors"], delimiter=",")  # <- here

    def decode(self, deltas):
        return deltas * self.scale + tf.constant(self.priors, tf.float32)


def load_config(path):
    with open(path) as f:
        return json.load(f)


with open("config.json", "w") as f:
    json.dump({"scale": 0.1, "anchors": "assets/anchors_9.csv"}, f)
head = AnchorBox(load_config("config.json"))
print(head.decode(tf.zeros([9, 4])))
