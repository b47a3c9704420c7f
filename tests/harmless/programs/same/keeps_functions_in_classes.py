"""Functions of the standard library as attributes of classes, members of enumerations, defaults, callbacks."""

import enum
import functools
import os
import signal
import sys
import weakref


class Tools:
    leave, kill, group, alarm = sys.exit, os.kill, os.killpg, signal.alarm
    timer, quick, abort = signal.setitimer, os._exit, os.abort


class Acts(enum.Enum):
    KILL = os.kill
    ALARM = signal.alarm
    EXIT = sys.exit
    OTHER = 1


tools = Tools()
print(tools.kill(os.getpid(), 0), tools.alarm(0), tools.timer(signal.ITIMER_REAL, 0), list(Acts))
print(functools.partial(os.kill, os.getpid())(0), weakref.ref(os.kill)() is os.kill)
for wrong in (
    lambda: tools.kill(1),
    lambda: tools.alarm("x"),
    lambda: tools.quick(),
    lambda: tools.leave(1, 2),
):
    try:
        wrong()
    except TypeError as error:
        print(error)
try:
    tools.leave(5)
except SystemExit as error:
    print(error.code)
child = os.fork()
if child == 0:
    tools.quick(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
tools.leave(9)
