"""A program that is stopped catches SIGTERM, saves what it has and leaves with the status that stands for the signal."""
# expect: terminated-by-process PROVEN
# ending: 143
# send: SIGTERM

import os
import signal
import sys
import time


def leave(number, frame):
    print("saving", flush=True)
    sys.exit(128 + number)  # <- here


def die() -> None:
    signal.signal(signal.SIGTERM, leave)
    time.sleep(2)  # at work: handlers are noticed once a second
    os.write(int(os.environ["VICTIM_READY"]), b"%d\n" % os.getpid())
    sys.stdin.read()


def spare() -> None:
    signal.signal(signal.SIGTERM, leave)
    os.write(int(os.environ["VICTIM_READY"]), b"%d\n" % os.getpid())
