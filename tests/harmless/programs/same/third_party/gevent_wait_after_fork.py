# needs: module gevent
"""After a fork gevent's wait returns when nothing is left to run."""

from gevent import monkey

monkey.patch_all()
import os
import time
import gevent

if gevent.os.fork_gevent() == 0:
    os._exit(0)
time.sleep(0.3)
gevent.spawn(int)
before = time.time()
gevent.wait(timeout=4)
print(time.time() - before < 3, flush=True)
os._exit(0)
