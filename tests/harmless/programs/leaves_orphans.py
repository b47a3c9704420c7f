"""Leave orphans behind, which end at once, and wait until somebody has reaped all of them; the first process does that."""

import os
import sys
import time


def orphan():
    """Fork twice; the number of the one whose parent has ended."""
    hears, tells = os.pipe()
    child = os.fork()
    if child == 0:
        inner = os.fork()
        if inner:
            os.write(tells, b"%d" % inner)
        os._exit(0)
    os.waitpid(child, 0)
    number = int(os.read(hears, 32))
    os.close(hears)
    os.close(tells)
    return number


left = [orphan() for _ in range(int(sys.argv[1]))]
until = time.monotonic() + 30
while left and time.monotonic() < until:
    time.sleep(0.01)
    left = [pid for pid in left if os.path.exists(f"/proc/{pid}")]
print(len(left), "zombies", flush=True)
os._exit(5)
