"""What the text does not tell is never refused: files, arguments, conditions, lists that others change."""

import random
import sys

import keras
import numpy as np
import tensorflow as tf


def sides(names):
    names.append(3)


shape = [2, 3]
sides(shape)
print(tf.reshape(tf.ones([2, 3]), [6]) + (tf.ones([6]) if len(shape) == 3 else tf.ones([5])))

size = 4 if sys.flags.verbose > 5 else 3
print(tf.ones([size]) + tf.ones([3]))

width = 3
for turn in range(20):
    if turn == 19:
        print(tf.ones([width]) + tf.ones([22]))
    width += 1

layers = [keras.layers.Dense(4)]
if random.random() < 2:
    layers.append(keras.layers.Reshape((2, 2)))
layers.append(keras.layers.LSTM(2))
print(keras.Sequential(layers)(tf.ones([1, 8])).shape)

rows = tf.boolean_mask(tf.ones([4, 2]), [True, False, True, False])
print(tf.reshape(rows, [4]))

kept = []
while len(kept) < 2:
    kept.append(np.ones(3))
print(np.concatenate(kept).reshape(6))


class Holder:
    side = 2

    def widen(self):
        self.side = 5
        return self


holder = Holder().widen()
print(tf.ones([holder.side]) + tf.ones([5]))

try:
    import a_module_that_is_not_there as extra
except ImportError:
    extra = None
first = tf.ones([2]) if extra is None else tf.ones([3])
print(first + tf.ones([2]))

data = tf.data.Dataset.range(6).batch(1).batch(2)
model = keras.Sequential([keras.layers.Dense(1)])
print(model.predict(data, verbose=0).shape)

depth = 2


def deeper():
    global depth
    depth = 5


deeper()
print(tf.ones([depth]) + tf.ones([5]))


def block(pixels, count=depth):
    return pixels + tf.ones([count])


depth = 7
print(block(tf.ones([5])))


def checked(make):
    try:
        return make()
    except (ValueError, tf.errors.InvalidArgumentError):
        return None


print(checked(lambda: tf.ones([2]) + tf.ones([3])))
