"""A trace on a signal."""

import faulthandler
import os
import signal

with open("trace.txt", "w") as file:
    faulthandler.register(signal.SIGUSR1, file, all_threads=False)
    os.kill(os.getpid(), signal.SIGUSR1)
    print(faulthandler.unregister(signal.SIGUSR1))
print(len(open("trace.txt").read().splitlines()) >= 2)
