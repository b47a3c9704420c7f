# terminal: leader
"""A program that puts a child in the foreground and takes the terminal back."""

import os
import signal

signal.signal(signal.SIGTTOU, signal.SIG_IGN)
child = os.fork()
if child == 0:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    os._exit(0 if os.tcgetpgrp(0) == os.getpid() else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
os.tcsetpgrp(0, os.getpgrp())
print(os.tcgetpgrp(0) == os.getpgrp())
