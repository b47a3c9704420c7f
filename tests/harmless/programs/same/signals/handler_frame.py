"""A handler is given the interrupted frame of the program."""

import os
import signal

signal.signal(
    signal.SIGUSR1,
    lambda number, frame: print(
        number,
        frame.f_code.co_name,
        frame.f_back.f_code.co_name,
        frame.f_lineno - frame.f_code.co_firstlineno,
    ),
)


def work():
    os.kill(os.getpid(), signal.SIGUSR1)
    return 1


work()
