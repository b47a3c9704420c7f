"""Close every descriptor, put a data file where stderr was, and die of a signal: closes.py DATA."""

import os
import signal
import sys

import common

shim = common.start()
opened = set(os.listdir("/proc/self/fd"))
os.closerange(0, 1024)
assert [os.open(os.devnull, os.O_RDWR) for _ in range(2)] == [0, 1]
assert os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT, 0o600) == 2
os.write(2, b"data\n")
common.refresh(shim)
os.write(2, " ".join(sorted(opened, key=int)).encode())
os.kill(os.getpid(), signal.SIGUSR1)
