"""The data file of a checkpoint was overwritten in part; restore() reads what does not fit its checksum."""
# expect: corrupt-weights

import tensorflow as tf


class Net(tf.Module):
    def __init__(self):
        self.w = tf.Variable(tf.random.normal([128, 128]), name="w")
        self.b = tf.Variable(tf.zeros([128]), name="b")

    def __call__(self, x):
        return x @ self.w + self.b


def resume(folder):
    net = Net()
    checkpoint = tf.train.Checkpoint(net=net)
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
    checkpoint.restore(manager.latest_checkpoint).assert_consumed()  # <- here
    return net


first = Net()
saved = tf.train.CheckpointManager(tf.train.Checkpoint(net=first), "ckpts", max_to_keep=2).save()
with open(saved + ".data-00000-of-00001", "r+b") as data:
    data.seek(2000)
    data.write(b"\x00" * 4000)
print(resume("ckpts")(tf.ones([1, 128])).shape)
