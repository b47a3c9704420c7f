"""The hook for threads is the one that Python keeps aside."""

import threading

print(threading.excepthook is threading.__excepthook__, type(threading.excepthook).__name__)
