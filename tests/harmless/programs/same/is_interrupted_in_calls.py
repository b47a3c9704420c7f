"""What a handler raises inside a call goes to the caller, and its way shows the program's frames alone."""

import os
import signal
import sys
import traceback


class Expired(Exception):
    pass


def handle(number, frame):
    raise Expired(frame.f_code.co_name)


def ways(error):
    found = [
        (step.f_code.co_filename == __file__, step.f_code.co_name)
        for step, _ in traceback.walk_tb(error.__traceback__)
    ]
    return type(error).__name__, found, str(error)


def interrupt(number):
    os.kill(os.getpid(), number)
    return "nothing was raised"


signal.signal(signal.SIGUSR1, handle)
for number in (signal.SIGINT, signal.SIGUSR1):
    try:
        print(interrupt(number))
    except BaseException as error:
        print(ways(error), error.__context__)


def leaves():
    sys.exit(3)


try:
    leaves()
except SystemExit as error:
    print(ways(error))
signal.signal(signal.SIGALRM, handle)
strangers, caught = [], 0
for turn in range(300):
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.0003 + turn * 0.000003)
        while True:
            os.kill(os.getpid(), signal.SIGCHLD)
            try:
                sys.exit(1)
            except SystemExit:
                pass
    except Expired as error:
        caught += str(error) == "<module>"
        strangers += [step.f_code.co_filename for step, _ in traceback.walk_tb(error.__traceback__)]
print(caught, set(strangers) == {__file__})
