"""A child that is stopped and goes on."""

import os
import signal

child = os.fork()
if child == 0:
    os.kill(os.getpid(), signal.SIGSTOP)
    os._exit(4)
print(os.WIFSTOPPED(os.waitpid(child, os.WUNTRACED)[1]))
os.kill(child, signal.SIGCONT)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
