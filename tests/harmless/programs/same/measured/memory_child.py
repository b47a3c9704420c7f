# measures: memory
"""Peak memory of a forked child."""

import os

child = os.fork()
if child == 0:
    kept = bytearray(b"x") * (10 << 20)
    for line in open("/proc/self/status"):
        if line.startswith("VmHWM"):
            print(f"forked\n{int(line.split()[1]) / 1024}", flush=True)
    os._exit(0)
os.waitpid(child, 0)
