"""A blocked signal waits."""

import os
import signal

signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
os.kill(os.getpid(), signal.SIGUSR1)
print(signal.sigpending())
signal.signal(signal.SIGUSR1, signal.SIG_IGN)
print(signal.sigpending())
