"""What a function at exit can still do."""

import atexit
import os


def late():
    child = os.fork()
    if child == 0:
        os._exit(3)
    print("forked at exit", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


atexit.register(late)
