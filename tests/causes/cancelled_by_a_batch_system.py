"""The batch system ends the job at its time limit."""
# expect: preempted LIKELY
# ending: SIGTERM
# send: SIGTERM
# sender: slurmstepd
# variables: SLURM_JOB_ID=4711

import os
import sys


def die() -> None:
    os.write(int(os.environ["VICTIM_READY"]), b"%d\n" % os.getpid())
    sys.stdin.read()


def spare() -> None:
    os.write(int(os.environ["VICTIM_READY"]), b"%d\n" % os.getpid())
