"""The parent is alive and is the same at the end."""

import os
import time

parent = os.getppid()
time.sleep(0.3)
print(parent == os.getppid(), parent > 1)
