# measures: memory
"""Peak memory of one that holds 150 MB."""

import time

kept = bytearray(b"x") * (150 << 20)
time.sleep(0.5)
print(len(kept))
for line in open("/proc/self/status"):
    if line.startswith("VmHWM"):
        print(int(line.split()[1]) / 1024)
