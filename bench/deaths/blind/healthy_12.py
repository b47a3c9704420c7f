"""A forked pool is made before anything else runs; two jobs raise, are reported and done again with other settings."""
# expect: nothing

import multiprocessing

import numpy as np


def invert(job):
    seed, damping = job
    rng = np.random.default_rng(seed)
    matrix = rng.random((50, 50))
    if seed % 4 == 1:
        matrix[3] = 0.0
    return seed, float(np.linalg.inv(matrix + damping * np.eye(50)).max())


def attempt(job):
    try:
        return invert(job), None
    except np.linalg.LinAlgError as error:
        return (job[0], None), str(error)


if __name__ == "__main__":
    with multiprocessing.get_context("fork").Pool(2) as pool:
        done = {}
        for (seed, value), error in pool.imap_unordered(attempt, [(s, 0.0) for s in range(8)]):
            if error:
                print("job", seed, "failed:", error, "- again with damping")
                seed, value = pool.apply(invert, ((seed, 0.1),))
            done[seed] = value
    print(len(done), "of 8 done", min(done.values()))
