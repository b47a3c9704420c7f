"""A persistent tape for two losses in each step, deleted afterwards; memory goes up and down, 120 steps long."""
# expect: nothing
# memory: 900

import tensorflow as tf

encoder = tf.Variable(tf.random.normal([128, 256], stddev=0.05))
decoder = tf.Variable(tf.random.normal([256, 128], stddev=0.05))


def step(x, rate):
    with tf.GradientTape(persistent=True) as tape:
        code = tf.nn.relu(x @ encoder)
        reconstruction = tf.reduce_mean(tf.square(code @ decoder - x))
        sparsity = 0.01 * tf.reduce_mean(tf.abs(code))
    decoder.assign_sub(rate * tape.gradient(reconstruction, decoder))
    encoder.assign_sub(rate * tape.gradient(reconstruction, encoder))
    encoder.assign_sub(rate * tape.gradient(sparsity, encoder))
    del tape
    return float(reconstruction)


losses = []
for n in range(120):
    losses.append(step(tf.random.stateless_normal([512, 128], [n, 1]), 0.1))
    if n % 40 == 0:
        print(n, losses[-1])
print("first", losses[0], "last", losses[-1])
