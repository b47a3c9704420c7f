"""A chain of ten generations."""

import os


def descend(depth):
    if depth == 0:
        os._exit(1)
    child = os.fork()
    if child == 0:
        descend(depth - 1)
    os._exit(1 + os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


child = os.fork()
if child == 0:
    descend(10)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
