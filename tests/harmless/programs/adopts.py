"""Adopt a command whose launcher dies, let it go on, and tell whether it sent a signal to its new parent."""

import ctypes
import os
import signal
import subprocess
import sys

ADOPT = 36  # PR_SET_CHILD_SUBREAPER

ctypes.CDLL(None).prctl(ADOPT, 1)
told = []
signal.signal(signal.SIGUSR1, lambda number, _frame: told.append(number))
hears, says = os.pipe()
launcher = os.fork()
if launcher == 0:
    os.close(says)
    child = subprocess.Popen(sys.argv[1:], stdin=hears, stdout=subprocess.PIPE)
    child.stdout.readline()
    os._exit(0)
os.close(hears)
os.waitpid(launcher, 0)
os.close(says)  # it goes on now
while True:
    try:
        os.wait()
    except ChildProcessError:
        break
print("told" if told else "not told", flush=True)
