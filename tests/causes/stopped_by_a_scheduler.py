"""SIGTERM from another process, no handler."""
# expect: terminated-by-process PROVEN
# example: yes
# ending: SIGTERM
# send: SIGTERM

import os
import sys


def die() -> None:
    os.write(int(os.environ["VICTIM_READY"]), b"%d\n" % os.getpid())
    sys.stdin.read()


def spare() -> None:
    os.write(int(os.environ["VICTIM_READY"]), b"%d\n" % os.getpid())
