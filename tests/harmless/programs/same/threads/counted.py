# ci
"""The threads that Python knows."""

import threading
import time

time.sleep(0.3)
print(
    threading.active_count(),
    [thread.name for thread in threading.enumerate()],
    threading._active and len(threading._active),
    len(threading._limbo),
)
