"""Run a command as a shell with job control does: in a process group of its own that has the terminal; tell how it ended or stopped."""

import os
import signal
import sys

signal.signal(signal.SIGTTOU, signal.SIG_IGN)
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    os.execvp(sys.argv[1], sys.argv[1:])
try:
    os.setpgid(child, child)
except OSError:  # it was faster, and is another program by now
    pass
_, status = os.waitpid(child, os.WUNTRACED)
os.tcsetpgrp(0, os.getpgrp())
if os.WIFSTOPPED(status):
    print("stopped by", signal.Signals(os.WSTOPSIG(status)).name)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
else:
    print("status", os.waitstatus_to_exitcode(status))
