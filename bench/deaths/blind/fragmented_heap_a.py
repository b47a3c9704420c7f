"""From each clip a short summary is kept and the clip is thrown away; the summaries lie between the holes."""
# expect: fragmented-heap
# memory: 700

import numpy as np


def clip(n):
    return np.full(5000, n, np.float32)


def summarise(wave):
    return wave[:300] * 0.5


class Index:
    def __init__(self):
        self.summaries = []

    def add_block(self, start, count):
        waves = []
        for n in range(start, start + count):
            wave = clip(n)
            waves.append(wave)
            self.summaries.append(summarise(wave))  # <- here
        return float(sum(w[0] for w in waves))


def batches(count, size):
    return [np.ones((size, 1024), np.float32) for _ in range(count)]


index = Index()
total = index.add_block(0, 25_000)
print("indexed", len(index.summaries), "clips, kept", sum(s.nbytes for s in index.summaries) >> 20, "MB")
training = batches(60, 1500)
print("training", sum(b.nbytes for b in training) >> 20, "MB", total)
