"""A callback saves a checkpoint at every epoch on a small volume, and keeps them all."""
# expect: disk-full PROVEN
# example: yes
# ending: 1
# disk: size=12m
# needs: tensorflow

import tensorflow as tf


class Keeper:
    def __init__(self) -> None:
        self.weights = tf.Variable(tf.random.normal([512, 512]))
        self.manager = tf.train.CheckpointManager(
            tf.train.Checkpoint(weights=self.weights), "disk/saved", max_to_keep=100
        )

    def on_epoch_end(self, epoch: int) -> None:
        self.manager.save(checkpoint_number=epoch)  # <- here


def train(epochs: int) -> None:
    keeper = Keeper()
    for epoch in range(epochs):
        keeper.on_epoch_end(epoch)


def die() -> None:
    train(40)


def spare() -> None:
    train(3)
