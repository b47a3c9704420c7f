# death
"""Put a data file under every number that there is, then crash: nobody may write into it."""

import ctypes
import os
import resource

resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
data = os.open("data", os.O_RDWR | os.O_CREAT | os.O_APPEND)
os.closerange(4, soft)
for number in range(4, min(soft, 2000)):
    os.dup2(data, number)
os.write(data, b"mine\n")
ctypes.string_at(0)
