"""The runner of the experiments sends SIGINT to each trial whose time is up; this trial is in a NumPy loop."""
# expect: interrupted

import os
import subprocess
import sys

import numpy as np

RUNNER = "import os, signal, sys, time; time.sleep(2); os.kill(int(sys.argv[1]), signal.SIGINT)"


def start_runner():
    return subprocess.Popen([sys.executable, "-c", RUNNER, str(os.getpid())])


class Annealing:
    def __init__(self, cities, seed):
        self.rng = np.random.default_rng(seed)
        self.points = self.rng.random((cities, 2))
        self.order = np.arange(cities)

    def length(self, order):
        path = self.points[order]
        return np.linalg.norm(path - np.roll(path, 1, axis=0), axis=1).sum()

    def run(self, steps):
        best = self.length(self.order)
        for step in range(steps):
            a, b = sorted(self.rng.integers(0, len(self.order), 2))
            order = self.order.copy()
            order[a:b] = order[a:b][::-1]
            if (length := self.length(order)) < best + np.exp(-step / 1000):
                self.order, best = order, length
        return best


runner = start_runner()
print("best", Annealing(300, 1).run(10_000_000))
runner.wait()
