"""A grid search on a login node that allows twelve seconds of CPU."""
# expect: cpu-time-limit
# cpu: 12 14

import itertools

import tensorflow as tf

x = tf.random.stateless_normal([2000, 200], [0, 1])
y = tf.reduce_sum(x[:, :3], axis=1, keepdims=True)


@tf.function
def fit(rate, decay):
    w = tf.zeros([200, 1])
    for _ in tf.range(300):
        w -= rate * (tf.transpose(x) @ (x @ w - y) / 2000.0 + decay * w)  # <- here
    return tf.reduce_mean(tf.square(x @ w - y))


def grid():
    rates = [0.001 * 1.3**k for k in range(40)]
    decays = [0.0001 * 2**k for k in range(40)]
    best = (float("inf"), None)
    for rate, decay in itertools.product(rates, decays):
        loss = float(fit(tf.constant(rate), tf.constant(decay)))  # <- here
        best = min(best, (loss, (rate, decay)))
    return best


if __name__ == "__main__":
    print("best", grid())  # <- here
