"""SIGHUP from a process that is no shell: nobody's terminal went away."""
# expect: terminated-by-process PROVEN
# ending: SIGHUP
# send: SIGHUP

import os
import sys


def die() -> None:
    os.write(int(os.environ["VICTIM_READY"]), b"%d\n" % os.getpid())
    sys.stdin.read()


def spare() -> None:
    os.write(int(os.environ["VICTIM_READY"]), b"%d\n" % os.getpid())
