# measures: memory
"""Peak memory of a million small objects."""

import time

kept = [(n,) for n in range(1_000_000)]
time.sleep(0.5)
print(len(kept))
for line in open("/proc/self/status"):
    if line.startswith("VmHWM"):
        print(int(line.split()[1]) / 1024)
