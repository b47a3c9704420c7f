"""Become the leader of a process group (or ask for a session), as programs do that want to end their workers together; then go on."""

import os
import signal
import sys


def say(text):
    os.write(1, b"<" + text.encode() + b">\n")


def told(number, _frame):
    say(signal.Signals(number).name)


try:
    getattr(os, sys.argv[1])(*map(int, sys.argv[2:]))
except OSError as error:
    say(type(error).__name__)
for name in ("SIGINT", "SIGQUIT", "SIGTERM", "SIGWINCH", "SIGHUP"):
    signal.signal(getattr(signal, name), told)
say("leads its group " + str(os.getpgrp() == os.getpid()))
while True:
    line = os.read(0, 100).decode().strip()
    if line == "q":
        break
    say("line " + line)
os._exit(6)
