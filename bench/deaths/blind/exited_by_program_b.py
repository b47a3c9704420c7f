"""The check of the settings ends the program with a sentence when no accelerator is there."""
# expect: exited-by-program

import tensorflow as tf


def require(kind):
    devices = tf.config.list_physical_devices(kind)
    if not devices:
        raise SystemExit(f"no {kind} found, will not train on the CPU")  # <- here
    return devices[0]


class Trainer:
    def __init__(self, options):
        self.options = options
        self.device = require(options.get("device", "GPU"))

    def train(self):
        with tf.device(self.device.name):
            return tf.reduce_sum(tf.random.normal([10, 10]))


if __name__ == "__main__":
    print(Trainer({"device": "TPU"}).train())
