"""Somebody's kill -9, with memory far from any limit."""
# expect: killed-by-process PROVEN
# example: yes
# ending: SIGKILL
# send: SIGKILL

import os
import sys


def die() -> None:
    print("Killed", file=sys.stderr)
    os.write(int(os.environ["VICTIM_READY"]), b"%d\n" % os.getpid())
    sys.stdin.read()


def spare() -> None:
    print("Killed", file=sys.stderr)
    print("Segmentation fault (core dumped)", file=sys.stderr)
    print("Out of memory: Killed process 1 (python)", file=sys.stderr)
