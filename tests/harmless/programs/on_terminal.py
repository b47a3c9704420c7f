"""Tell what it sees of the terminal, then of each new size; end at "q"."""

import os
import signal
import sys


def resized(_number, _frame):
    os.write(1, b"resized (%d, %d)\n" % os.get_terminal_size(0))


signal.signal(signal.SIGWINCH, resized)
print("tty", [os.isatty(number) for number in (0, 1, 2)], flush=True)
print("size", tuple(os.get_terminal_size(1)), flush=True)
print("foreground", os.tcgetpgrp(0) == os.getpgrp(), os.getsid(0) == os.getppid(), flush=True)
for line in sys.stdin:
    if line == "q\n":
        break
    print("line", repr(line), flush=True)
sys.exit(6)
