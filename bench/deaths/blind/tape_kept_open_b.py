"""A trainer opens its tape once in the constructor; the hidden state runs on from chunk to chunk and is never cut."""
# expect: tape-kept-open
# memory: 900

import tensorflow as tf


class OnlineRecurrent:
    def __init__(self, width):
        self.cell = tf.Variable(tf.random.normal([width, width], stddev=0.02))
        self.tape = tf.GradientTape(persistent=True)  # <- here
        self.tape.__enter__()  # <- here
        self.state = tf.zeros([400, width])
        self.loss = 0.0

    def observe(self, chunk):
        for row in tf.unstack(chunk):
            self.state = tf.tanh(self.state @ self.cell + row)  # <- here
        self.loss = tf.reduce_mean(tf.square(self.state))

    def monitor(self):
        with self.tape.stop_recording():
            return float(self.loss)

    def finish(self):
        self.tape.__exit__(None, None, None)
        return self.tape.gradient(self.loss, self.cell)


def sensor(chunks, length, width):
    for n in range(chunks):
        yield tf.random.stateless_normal([length, width], [n, n])


net = OnlineRecurrent(300)
for n, chunk in enumerate(sensor(500, 10, 300)):
    net.observe(chunk)
    if n % 20 == 0:
        print(n, net.monitor(), flush=True)
print(tf.norm(net.finish()))
