# same-on: 3.13t
# documented: stdout: the recorder has one thread, started below threading
"""The number of threads that _thread knows."""

import _thread
import time

time.sleep(0.2)
print(_thread._count())
