# python: -X dev
"""Development mode with a fork and a thread, which may live on for Linux after `join` on 3.12: it warns of a fork then."""

import os
import threading
import time

thread = threading.Thread(target=lambda: None)
thread.start()
thread.join()
while os.path.exists(f"/proc/self/task/{thread.native_id}"):
    time.sleep(0.01)
child = os.fork()
if child == 0:
    os._exit(0)
print(os.waitpid(child, 0)[1])
