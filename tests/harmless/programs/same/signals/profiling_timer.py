"""SIGPROF counts the processor time of the program, as profilers use it."""

import signal

ticks = 0


def handler(*_):
    global ticks
    ticks += 1


signal.signal(signal.SIGPROF, handler)
signal.setitimer(signal.ITIMER_PROF, 0.01, 0.01)
while ticks < 10:
    sum(range(10000))
signal.setitimer(signal.ITIMER_PROF, 0)
print("ticked")
