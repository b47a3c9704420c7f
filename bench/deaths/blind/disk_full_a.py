"""A checkpoint after each epoch, all of them kept, on a scratch disk of 12 MB."""
# expect: disk-full
# disk: size=12m

import keras
import numpy as np
import tensorflow as tf


class KeepAll(keras.callbacks.Callback):
    def __init__(self, folder):
        super().__init__()
        self.folder = folder

    def on_train_begin(self, logs=None):
        checkpoint = tf.train.Checkpoint(model=self.model)
        self.manager = tf.train.CheckpointManager(checkpoint, self.folder, max_to_keep=None)  # <- here

    def on_epoch_end(self, epoch, logs=None):
        path = self.manager.save(checkpoint_number=epoch)  # <- here
        print("saved", path, "loss", round(logs["loss"], 4))


def main():
    x = np.random.default_rng(0).random((128, 256), dtype=np.float32)
    layers = [keras.Input((256,)), keras.layers.Dense(1024, "relu"), keras.layers.Dense(256)]
    model = keras.Sequential(layers)
    model.compile(keras.optimizers.SGD(0.01), "mse")
    model.fit(x, x, epochs=30, verbose=0, callbacks=[KeepAll("disk/checkpoints")])  # <- here


main()
