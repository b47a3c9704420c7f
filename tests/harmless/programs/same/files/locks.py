"""flock and lockf between two processes."""

import fcntl
import os

file = open("lock", "w")
fcntl.flock(file, fcntl.LOCK_EX)
child = os.fork()
if child == 0:
    try:
        fcntl.flock(open("lock"), fcntl.LOCK_EX | fcntl.LOCK_NB)
        os._exit(0)
    except BlockingIOError:
        os._exit(1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
