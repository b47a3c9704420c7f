"""The kernel killed somebody else in this cgroup earlier; this program is then killed by a process."""
# expect: killed-by-process PROVEN
# ending: SIGKILL
# memory: 200
# sibling: eats
# send: SIGKILL

import os
import sys


def wait() -> None:
    os.write(int(os.environ["VICTIM_READY"]), b"%d\n" % os.getpid())
    sys.stdin.read()


def die() -> None:
    wait()


def spare() -> None:
    os.write(int(os.environ["VICTIM_READY"]), b"%d\n" % os.getpid())
