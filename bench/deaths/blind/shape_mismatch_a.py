"""The dense layer of a subclassed model was sized for 28x28 pictures, the data are 32x32."""
# expect: shape-mismatch

import tensorflow as tf


class Encoder(tf.Module):
    def __init__(self, side, width):
        self.weights = tf.Variable(tf.random.normal([side * side, width], stddev=0.05))
        self.bias = tf.Variable(tf.zeros([width]))

    def __call__(self, images):
        flat = tf.reshape(images, [tf.shape(images)[0], -1])
        return tf.nn.relu(tf.matmul(flat, self.weights) + self.bias)  # <- here


def evaluate(encoder, batches):
    codes = [encoder(batch) for batch in batches]
    return tf.concat(codes, axis=0)


images = tf.data.Dataset.from_tensor_slices(tf.random.uniform([12, 32, 32])).batch(4)
print(evaluate(Encoder(28, 10), images).shape)
