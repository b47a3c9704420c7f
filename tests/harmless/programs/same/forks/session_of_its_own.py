"""A child that leaves the session."""

import os

child = os.fork()
if child == 0:
    os.setsid()
    os._exit(0 if os.getsid(0) == os.getpid() == os.getpgrp() else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
