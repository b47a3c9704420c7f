"""Callbacks of a pool run in the parent."""

import multiprocessing
import os


def half(n):
    return n // (n - 4) if n == 4 else n / 2


if __name__ == "__main__":
    me, seen = os.getpid(), []
    with multiprocessing.get_context("fork").Pool(2) as pool:
        results = [
            pool.apply_async(
                half,
                (n,),
                callback=lambda value: seen.append((os.getpid() == me, value)),
                error_callback=lambda error: seen.append((os.getpid() == me, str(error))),
            )
            for n in (4, 6)
        ]
        pool.close()
        pool.join()
    print(sorted(seen, key=str))
