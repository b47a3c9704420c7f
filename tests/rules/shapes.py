"""Shapes that fit and shapes that do not, as far as they are written."""

import cv2
import numpy as np
import tensorflow as tf

BATCH, WIDTH = 32, 28
pixels = np.zeros((BATCH, WIDTH, WIDTH, 3), dtype=np.float32)
row = np.zeros(3)
print(pixels * row, pixels + 1, pixels / np.zeros((1, WIDTH, 1)))
print(pixels + np.zeros((WIDTH, 4)))  # expect: shapes-do-not-fit
flat = tf.reshape(pixels, [BATCH, -1])
weights = tf.random.normal(shape=(WIDTH * WIDTH * 3, 10))
print(flat @ weights, tf.matmul(tf.transpose(weights), weights))
print(tf.matmul(weights, flat))  # expect: shapes-do-not-fit
print(tf.matmul(weights, weights, transpose_a=True))
print(tf.constant([[1.0, 2.0]]) + tf.constant([[1.0, 2.0, 3.0]]))  # expect: shapes-do-not-fit
print(tf.constant(2.0, shape=[4]) + tf.constant([1.0, 2.0, 3.0, 4.0]))
print(tf.zeros([2, 3]) + tf.ones([3, 2]).numpy().T)
print(np.random.rand(7).reshape(-1, 7) + np.random.default_rng().random((2, 7)))

if row.sum():
    maybe = np.zeros(4)
else:
    maybe = np.zeros(3)
print(maybe + row)


def scaled(anything, size):
    return anything * np.zeros((size, 3)) + np.zeros((5, 3))


try:
    tf.add(tf.ones([2]), tf.ones([3]))  # expect: shapes-do-not-fit possible
except tf.errors.InvalidArgumentError:
    pass

twice = np.random.rand(9000, 9000).astype("float32")
much = np.random.rand(20000, 9000).astype("float32")  # expect: array-made-twice
wide = np.zeros((9000, 9000), dtype=np.uint8).astype(np.float32)

sums, fresh = [], []
for step in range(3000):
    sums.append(tf.ones([256, 256]))  # expect: large-sum-in-list
    fresh = []
    fresh.append(tf.ones([256, 256]))
    if step > 10:
        break
few = []
for _ in range(100):
    few.append(np.zeros(1000))

seen = cv2.imread("seen.jpg")  # expect: file-not-there possible
if seen is not None:
    print(seen.shape)
unseen = cv2.imread("unseen.jpg")  # expect: imread-unchecked possible  # expect: file-not-there possible
print(unseen.shape)


def weight(shape):
    return tf.Variable(tf.random.normal(shape))


print(tf.ones([2, 3]) + weight([2, 3]))  # a function of the file, whose arguments are not those of tf.Variable
labels = tf.constant([1.0, 2.0, 3.0])
scores = tf.matmul(tf.ones([3, 2]), weight([2, 1]))
print(tf.reduce_mean(tf.square(labels - scores)))  # expect: row-against-column
