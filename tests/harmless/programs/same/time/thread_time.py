"""The main thread's own time does not grow while it sleeps."""

import time

before = time.thread_time()
time.sleep(0.5)
print(time.thread_time() - before < 0.1)
