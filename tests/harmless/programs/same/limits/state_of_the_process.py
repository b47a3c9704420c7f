# ci
"""Nice value, scheduler, processors, score of the memory killer, dumpable, session and group."""

import ctypes
import os

print(
    os.nice(0),
    os.sched_getscheduler(0),
    sorted(os.sched_getaffinity(0)),
    open("/proc/self/oom_score_adj").read().strip(),
    open("/proc/self/coredump_filter").read().strip(),
)
print(
    ctypes.CDLL(None).prctl(3),
    ctypes.CDLL(None).prctl(39),
    ctypes.CDLL(None).prctl(21),
    os.getresuid(),
    os.getresgid(),
    os.getgroups(),
)
print(
    open("/proc/self/timerslack_ns").read().strip(), open("/proc/self/personality").read().strip()
)
