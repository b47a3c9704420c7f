"""In a job of a batch system, but it was somebody's kill that ended the program."""
# expect: terminated-by-process PROVEN
# ending: SIGTERM
# send: SIGTERM
# variables: SLURM_JOB_ID=4711

import os
import sys


def die() -> None:
    os.write(int(os.environ["VICTIM_READY"]), b"%d\n" % os.getpid())
    sys.stdin.read()


def spare() -> None:
    os.write(int(os.environ["VICTIM_READY"]), b"%d\n" % os.getpid())
