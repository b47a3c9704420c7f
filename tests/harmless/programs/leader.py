"""Become the leader of a session whose terminal is stdin, then be the command."""

import fcntl
import os
import sys
import termios

os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
