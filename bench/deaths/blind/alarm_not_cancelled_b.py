"""A sampler counts where the time goes with a profiling timer; stop() takes the handler away and leaves the timer."""
# expect: alarm-not-cancelled

import collections
import signal

import tensorflow as tf


class Sampler:
    def __init__(self, interval=0.02):
        self.interval = interval
        self.lines = collections.Counter()

    def _sample(self, number, frame):
        self.lines[frame.f_code.co_name, frame.f_lineno] += 1

    def start(self):
        signal.signal(signal.SIGPROF, self._sample)
        signal.setitimer(signal.ITIMER_PROF, self.interval, self.interval)  # <- here

    def stop(self):
        signal.signal(signal.SIGPROF, signal.SIG_DFL)  # <- here
        return self.lines.most_common(3)


def power(matrix, times):
    vector = tf.ones([matrix.shape[0], 1])
    for _ in range(times):
        vector = tf.linalg.l2_normalize(matrix @ vector)
    return float(tf.reduce_sum(vector))


matrix = tf.random.stateless_uniform([800, 800], [1, 2])
sampler = Sampler()
sampler.start()
print("with profile", power(matrix, 200))
print(sampler.stop())
print("without", power(matrix, 4000))
