# ci
# python: -W error
"""Fork without exec, often: Python 3.12 and later warn of threads."""

import os

for turn in range(20):
    sum(range(300_000))
    child = os.fork()
    if child == 0:
        grandchild = os.fork()
        if grandchild == 0:
            os._exit(turn)
        os._exit(os.waitstatus_to_exitcode(os.waitpid(grandchild, 0)[1]))
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
