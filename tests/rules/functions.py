"""Functions that are traced again, and those that are not."""

import tensorflow as tf
from tensorflow import function as graph
from tensorflow.compat import v1


def step(x):
    return x + 1


for _ in range(1000):
    fast = graph(step)  # expect: function-made-in-loop
    fast(1.0)

for _ in range(3):
    fast = graph(step)

while True:

    @graph  # the line of the function is told
    def inner(x):  # expect: function-made-in-loop
        return x

    inner(2.0)

table = {}
for part in [step] * 100:
    table[part] = graph(part)
    other = graph(part)


@tf.function
def train(x, number):
    return x * number


@tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec(None)])
def signed(x, number):
    return x * number


def main(batches, steps):
    for number in range(steps):
        train(1.0, number)  # expect: python-number-into-function
        signed(1.0, number)
        step(number)
    for number, batch in enumerate(batches):
        train(batch, number=number)  # expect: python-number-into-function
        train(batch, tf.constant(number))
    for number in range(4):
        train(1.0, number)
    for number in tf.range(steps):
        train(1.0, number)
    for number in range(10):
        number = tf.constant(float(number))
        train(1.0, number)


class Trainer:
    @tf.function
    def go(self, number):
        return number

    def loop(self):
        for number in range(100):
            self.go(number)  # expect: python-number-into-function


def graphs(weights, feeds):
    mean = tf.reduce_mean(weights)
    with v1.Session() as session:
        for feed in feeds:
            session.run(mean, {weights: feed})
            session.run(weights.assign(feed))  # expect: graph-grown-in-loop
            session.run([mean, v1.global_variables_initializer()])  # expect: graph-grown-in-loop
        session.run(tf.reduce_sum(weights))
    session.run(mean)  # expect: session-used-after-close


rate, decayed, tensor = 1e-3, 1e-3, tf.constant(1e-3)
counter = 0
for _ in range(1000):
    rate = rate * 0.99
    tensor = tensor * 0.99
    counter += 1
    train(1.0, rate)  # expect: python-number-into-function
    train(1.0, counter)  # expect: python-number-into-function
    train(1.0, tensor)
    train(1.0, decayed)


def remade(x):
    fast = tf.function(step)  # expect: function-made-in-loop
    return fast(x)


def made_once():
    return tf.function(step)


def main_loop(data):
    fast = made_once()
    for x in data:
        remade(x)
        fast(x)


class Lazy:
    @property
    def step(self):
        return tf.function(self.slow)  # expect: function-made-in-loop

    @property
    def kept(self):
        if self._kept is None:
            self._kept = tf.function(self.slow)
        return self._kept

    def slow(self, x):
        return x


def inner_step(model):
    if model.compiled:
        step_of_model = tf.function(model.step)
    return step_of_model()


def outer(model):
    for _ in range(1000):
        inner_step(model)


outer = tf.function(outer)
wrapped = tf.function(step)
with_signature = tf.function(step, input_signature=[tf.TensorSpec(None)])
for number in range(1000):
    wrapped(number)  # expect: python-number-into-function
    with_signature(number)
    step(number)
