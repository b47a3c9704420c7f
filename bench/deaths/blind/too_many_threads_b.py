"""A pool of processes with as many workers as there are folds and seeds, where 50 tasks are allowed."""
# expect: too-many-threads
# tasks: 50

import multiprocessing
import time

import numpy as np


def cross_validate(job):
    fold, seed = job
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(200, 5))
    y = x @ np.arange(5) + rng.normal(size=200)
    test = np.arange(200) % 10 == fold
    w = np.linalg.lstsq(x[~test], y[~test], rcond=None)[0]
    time.sleep(0.5)
    return float(np.mean((x[test] @ w - y[test]) ** 2))


def main():
    jobs = [(fold, seed) for fold in range(10) for seed in range(12)]
    context = multiprocessing.get_context("fork")
    with context.Pool(processes=len(jobs)) as pool:  # <- here
        errors = pool.map(cross_validate, jobs)
    print("mean error", np.mean(errors))


if __name__ == "__main__":
    main()
