"""A timer at 1 kHz: every signal is handled, few are kept."""

import signal

import common

handled = 0


def tick(number, frame):
    global handled
    handled += 1


signal.signal(signal.SIGALRM, tick)
shim = common.start()
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
while handled < 200:
    signal.pause()
signal.setitimer(signal.ITIMER_REAL, 0)
print(handled)
