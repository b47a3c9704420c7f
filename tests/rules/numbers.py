"""Types that become wider, arrays that become large."""

import cv2
import numpy as np
import tensorflow as tf
from keras.datasets import cifar100
from keras.utils import to_categorical
from tensorflow.keras.datasets import mnist as digits

(x, y), (x_test, y_test) = digits.load_data()
x = x[..., None] / 255.0  # expect: float64-by-division
x_test = x_test / np.float32(255)
train, test = cifar100.load_data()
pixels = train[0] / 127.5  # expect: float64-by-division

wide = y_test.astype("float32") / 10.0
bytes_ = np.zeros((10, 10), dtype=np.uint8) / 255  # expect: float64-by-division
narrow = (np.zeros((10, 10), dtype=np.uint8) / 255).astype(np.float32)


def one(path):
    return cv2.imread(path) / 255.0  # expect: float64-by-division possible  # expect: bgr-into-rgb-model possible


def changed(path, wanted):
    picture = cv2.imread(path)  # expect: imread-unchecked possible
    if wanted:
        picture = picture.astype(np.float32)
    return picture / 255.0


def arrays(paths, shape, count):
    np.zeros((len(paths), 256, 256, 3))  # expect: float64-array
    np.zeros((len(paths), 256, 256, 3), np.float32)
    np.zeros((len(paths), 256, 256, 3), dtype="uint8")
    np.empty([len(paths), 28, 28])
    np.ones(shape)
    np.random.rand(100, 512, 512)  # expect: float64-array
    np.random.rand(100, 512, 512).astype("float32")
    np.random.normal(0, 1, (100, 512, 512))  # expect: float64-array
    tf.constant(np.random.rand(100, 512, 512), tf.float32)
    np.random.rand(*shape)
    tf.zeros([100_000, 10_000])  # expect: giant-constant
    tf.zeros([count, 10_000_000])


def one_hot(ids, classes):
    np.eye(int(ids.max()) + 1)[ids]  # expect: one-hot-of-raw-ids
    np.eye(classes)[ids]
    np.eye(20_000)
    tf.one_hot(ids, 1_000_000)  # expect: one-hot-of-raw-ids
    tf.one_hot(ids, classes)
    largest = max(ids) + 1
    to_categorical(ids, num_classes=largest)  # expect: one-hot-of-raw-ids
    to_categorical(ids)


matrix = np.load("matrix.npy")  # expect: file-not-there possible
kept = tf.constant(matrix)


@tf.function
def multiply(rows):
    return tf.matmul(rows, matrix)  # expect: giant-constant


@tf.function
def multiply_kept(rows, matrix):
    return tf.matmul(rows, kept) + matrix


def detect(path, picture):
    interpreter = tf.lite.Interpreter(path)
    interpreter.set_tensor(0, np.float32(picture) / 255)  # expect: float-into-uint8-model possible
    interpreter.set_tensor(0, picture)
    detector = tf.saved_model.load(path)
    detector(tf.cast(picture, tf.float32)[None])  # expect: float-into-uint8-model possible
    return detector(picture)
