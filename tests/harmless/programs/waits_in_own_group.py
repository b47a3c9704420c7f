"""Become the leader of a process group and never read the terminal; the default for Ctrl-C, a word when continued."""

import os
import signal
import sys

getattr(os, sys.argv[1])(*map(int, sys.argv[2:]))
# in two words: the verdict shows these lines, and must not be taken for them
signal.signal(signal.SIGCONT, lambda _number, _frame: os.write(1, b"<" + b"continued>\n"))
os.write(1, b"<" + b"ready>\n")
while True:
    signal.pause()
