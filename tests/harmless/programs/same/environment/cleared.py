"""All variables are cleared; fork, import, exit work."""

import os

os.environ.clear()
child = os.fork()
if child == 0:
    import subprocess

    os._exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
