"""What the functions that end a program say of themselves."""

import os
import signal
import sys

for function in (sys.exit, os._exit, os.abort, os.kill, signal.alarm, signal.setitimer):
    print(function.__name__, function.__module__, function.__qualname__, function.__doc__[:40])
    print(
        type(function).__name__,
        callable(function),
        hasattr(function, "__wrapped__"),
        hasattr(function, "__get__"),
    )
