"""All pairwise similarities of 18000 embeddings are computed at once in a job of 500 MB."""
# expect: memory-limit-reached
# memory: 500

import numpy as np


class Deduplicator:
    def __init__(self, threshold):
        self.threshold = threshold

    def similarities(self, vectors):
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit @ unit.T  # <- here

    def duplicates(self, vectors):
        scores = self.similarities(vectors)  # <- here
        np.fill_diagonal(scores, 0)
        return np.argwhere(scores > self.threshold)


def embeddings(count, width):
    rng = np.random.default_rng(5)
    return rng.standard_normal((count, width), dtype=np.float32)


finder = Deduplicator(0.95)
print("sample", len(finder.duplicates(embeddings(2000, 64))))
print("all", len(finder.duplicates(embeddings(18_000, 64))))
