# needs: module eventlet
"""eventlet's patches and a fork."""

import warnings

warnings.simplefilter("ignore")
import eventlet

eventlet.monkey_patch()
import os
import time

child = os.fork()
if child == 0:
    os._exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
pool = eventlet.GreenPool(3)
print(list(pool.imap(lambda n: (time.sleep(0.01), n)[1], range(5))))
