"""Timers tell what is left."""

import signal

signal.signal(signal.SIGALRM, lambda *_: None)
print(
    signal.setitimer(signal.ITIMER_REAL, 100, 7),
    signal.alarm(50) in (99, 100),
    signal.getitimer(signal.ITIMER_REAL)[1],
    signal.alarm(0),
)
print(signal.setitimer(signal.ITIMER_VIRTUAL, 0), signal.getitimer(signal.ITIMER_PROF))
