# death
"""Data files under every number that there is, then a crash at once: nobody writes into them."""

import ctypes
import os
import resource

resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
data = os.open("data", os.O_RDWR | os.O_CREAT | os.O_APPEND)
highest = max(map(int, os.listdir("/proc/self/fd")))
top = max(highest, 1000) + 1
if hard == resource.RLIM_INFINITY or top < hard:
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, top + 1), hard))
os.closerange(data + 1, top + 1)
for number in range(data + 1, top + 1):
    os.dup2(data, number)
os.write(data, b"mine\n")
ctypes.string_at(0)
