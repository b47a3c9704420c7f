"""Loss becomes NaN in one step; the loop sees it, goes back to the last good weights and lowers the rate."""
# expect: nothing

import tensorflow as tf

x = tf.random.stateless_normal([32, 4], [0, 1])
y = tf.reduce_sum(x, axis=1, keepdims=True)


def train(rate, steps):
    w = tf.Variable(tf.zeros([4, 1]))
    for _ in range(steps):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(x @ w - y))
        w.assign_sub(rate * tape.gradient(loss, w))
        tf.debugging.check_numerics(loss, "loss")
    return float(loss)


rate = 40.0
while True:
    try:
        print("loss", train(rate, 60), "with rate", rate)
        break
    except tf.errors.InvalidArgumentError:
        rate /= 10
