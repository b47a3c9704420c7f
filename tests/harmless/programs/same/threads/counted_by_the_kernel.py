# same-on: 3.13t
# documented: stdout: the recorder has one thread
"""The threads that the kernel counts."""

import os
import time

time.sleep(0.3)
print(len(os.listdir("/proc/self/task")))
