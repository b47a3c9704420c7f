"""A program that changes its own priority and processors."""

import os

first = min(os.sched_getaffinity(0))
os.sched_setaffinity(0, {first})
print(os.nice(5), len(os.sched_getaffinity(0)), os.getpriority(os.PRIO_PROCESS, 0))
