# ci
# status: 5
"""Functions of the standard library in a class are not methods: what is built in does not bind."""

import os
import signal
import sys


class Actions:
    leave = sys.exit
    kill = os.kill
    alarm = signal.alarm
    timer = signal.setitimer


actions = Actions()
print(
    actions.kill(os.getpid(), 0), actions.alarm(0), actions.timer(signal.ITIMER_REAL, 0), flush=True
)
actions.leave(5)
