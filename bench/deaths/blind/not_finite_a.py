"""The learning rate is far too high; check_numerics in the step stops the run."""
# expect: not-finite

import tensorflow as tf

x = tf.random.stateless_normal([64, 5], [1, 2])
y = tf.reduce_sum(x, axis=1, keepdims=True)
w = tf.Variable(tf.ones([5, 1]) * 0.5)


@tf.function
def step(rate):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(x @ w - y))
    gradient = tape.gradient(loss, w)
    w.assign_sub(rate * gradient)
    return tf.debugging.check_numerics(loss, "loss diverged")  # <- here


def fit(steps):
    for n in range(steps):
        loss = step(tf.constant(25.0))  # <- here
        if n % 10 == 0:
            print(n, float(loss))


fit(200)
