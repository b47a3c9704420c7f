"""With SIGCHLD ignored no child is left to wait for."""

import os
import signal

signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for _ in range(3):
    if os.fork() == 0:
        os._exit(1)
try:
    print(os.wait())
except ChildProcessError as error:
    print(error)
