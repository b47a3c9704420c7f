# terminal: leader
"""A child in the background that reads is stopped."""

import os
import signal

child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    os.read(0, 1)
    os._exit(0)
_, status = os.waitpid(child, os.WUNTRACED)
print(os.WIFSTOPPED(status), signal.Signals(os.WSTOPSIG(status)).name)
os.kill(child, signal.SIGKILL)
os.waitpid(child, 0)
