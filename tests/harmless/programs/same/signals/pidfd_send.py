# python-at-least: 3.9
"""A signal through a descriptor of a process."""

import os
import signal

child = os.fork()
if child == 0:
    signal.pause()
    os._exit(0)
handle = os.pidfd_open(child)
signal.pidfd_send_signal(handle, signal.SIGTERM)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
