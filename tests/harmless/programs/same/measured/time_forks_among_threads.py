# measures: time
# slow
# needs: gil
"""20 forks with ten busy threads; without a global lock they take all cores, and the forks minutes, bare too."""

import os
import threading
import time

stop = False


def work():
    while not stop:
        sum(range(1000))


threads = [threading.Thread(target=work) for _ in range(10)]
[thread.start() for thread in threads]
before = time.perf_counter()
for _ in range(20):
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
took = time.perf_counter() - before
stop = True
[thread.join() for thread in threads]
print("forked")
print(took)
