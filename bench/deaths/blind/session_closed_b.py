"""A clean-up callback closes the shared session after the first epoch; the second epoch still needs it."""
# expect: session-closed

import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

x = tf.get_variable("x", initializer=4.0)
loss = tf.square(x - 1.0)
train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
session = tf.Session()
session.run(tf.global_variables_initializer())


def close_after(epoch):
    print("epoch", epoch, "done")
    session.close()  # <- here


def run_epoch(callbacks, epoch):
    for _ in range(5):
        session.run(train)  # <- here
    for callback in callbacks:
        callback(epoch)


for epoch in range(3):
    run_epoch([close_after], epoch)
