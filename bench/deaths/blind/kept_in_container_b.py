"""A tracker remembers the feature maps of every frame by its number and never forgets one."""
# expect: kept-in-container
# memory: 900

import tensorflow as tf

kernel = tf.random.normal([3, 3, 3, 16])


def frames(count):
    for number in range(count):
        yield number, tf.random.uniform([1, 240, 320, 3])


class Tracker:
    def __init__(self):
        self.seen = {}
        self.score = 0.0

    def update(self, number, frame):
        features = tf.nn.conv2d(frame, kernel, 1, "SAME")
        previous = self.seen.get(number - 1)
        self.seen[number] = features  # <- here
        if previous is not None:
            self.score += float(tf.reduce_mean(tf.abs(features - previous)))


tracker = Tracker()
for number, frame in frames(1000):
    tracker.update(number, frame)
print("score", tracker.score)
