"""The tape is opened around the loop over the steps, not inside it, and remembers every one of them."""
# expect: tape-kept-open
# memory: 900

import tensorflow as tf

hidden = tf.Variable(tf.random.normal([256, 512], stddev=0.05))
out = tf.Variable(tf.random.normal([512, 1], stddev=0.05))


def batches(count):
    for n in range(count):
        x = tf.random.stateless_normal([1024, 256], [n, 0])
        yield x, tf.reduce_mean(x, axis=1, keepdims=True)


def forward(x):
    return tf.nn.relu(x @ hidden) @ out


def train(steps, rate=0.01):
    with tf.GradientTape(persistent=True) as tape:  # <- here
        for n, (x, y) in enumerate(batches(steps)):
            loss = tf.reduce_mean(tf.square(forward(x) - y))
            with tape.stop_recording():
                gradients = tape.gradient(loss, [hidden, out])
            for variable, gradient in zip([hidden, out], gradients):
                variable.assign_sub(rate * gradient)
            if n % 50 == 0:
                print(n, float(loss), flush=True)


train(2000)
