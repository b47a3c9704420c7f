"""cProfile's list of functions."""

import cProfile
import io
import os
import pstats
import time


def work():
    time.sleep(0.3)
    os.kill(os.getpid(), 0)
    return sum(range(1000))


profile = cProfile.Profile()
profile.runcall(work)
print(sorted((os.path.basename(file), name) for file, _, name in pstats.Stats(profile).stats))
