"""The child ends by an exception: its own traceback."""

import os

child = os.fork()
if child == 0:
    raise ValueError("in the child")
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
