# needs: module joblib
# slow
"""Workers of joblib."""

import joblib


def square(n):
    return n * n


if __name__ == "__main__":
    print(joblib.Parallel(n_jobs=2)(joblib.delayed(square)(n) for n in range(6)))
