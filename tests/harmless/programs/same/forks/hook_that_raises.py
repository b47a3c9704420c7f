"""A hook that fails is told of, and fork goes on."""

import os


def fail():
    raise ValueError("in a hook")


os.register_at_fork(before=fail)
child = os.fork()
if child == 0:
    os._exit(2)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
