"""Parent and child have the mask that the program set."""

import os
import signal

signal.pthread_sigmask(signal.SIG_SETMASK, {signal.SIGUSR1, signal.SIGTERM})
child = os.fork()
print("mask", sorted(signal.pthread_sigmask(signal.SIG_BLOCK, ())), flush=True)
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
