"""All pairs of distances are asked for at once; with half a million points that is a terabyte."""
# expect: allocation-refused

import numpy as np


class NearestNeighbours:
    def __init__(self, k):
        self.k = k

    def fit(self, points):
        self.points = points
        self.norms = (points**2).sum(axis=1)
        return self

    def distances(self, queries):
        result = np.empty((len(queries), len(self.points)), np.float32)  # <- here
        result[:] = self.norms
        result -= 2 * queries @ self.points.T
        return result

    def kneighbors(self, queries):
        return np.argpartition(self.distances(queries), self.k, axis=1)[:, : self.k]


def graph(points, k):
    index = NearestNeighbours(k).fit(points)
    print("sample", index.kneighbors(points[:5])[0])
    return index.kneighbors(points)  # <- here


cloud = np.random.default_rng(4).random((500_000, 8), dtype=np.float32)
print("edges", graph(cloud, 10).size)
