# ci
"""Which threads of Python there are in a child, and which the kernel counts there."""

import os
import threading

child = os.fork()
if child == 0:
    print(
        threading.active_count(),
        threading.current_thread().name,
        threading.main_thread() is threading.current_thread(),
        flush=True,
    )
    os._exit(0)
os.waitpid(child, 0)
