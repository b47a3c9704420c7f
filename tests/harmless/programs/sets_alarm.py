"""Set an alarm and become the command: the alarm goes on."""

import os
import signal
import sys

signal.setitimer(signal.ITIMER_REAL, 0.7)
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
os.execvp(sys.argv[1], sys.argv[1:])
