"""SIGSEGV that another process sent: no code of the program crashed."""
# expect: terminated-by-process PROVEN
# ending: SIGSEGV
# send: SIGSEGV

import os
import sys


def die() -> None:
    os.write(int(os.environ["VICTIM_READY"]), b"%d\n" % os.getpid())
    sys.stdin.read()


def spare() -> None:
    os.write(int(os.environ["VICTIM_READY"]), b"%d\n" % os.getpid())
