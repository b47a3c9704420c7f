"""How much can be had under a limit, in steps of 64 MB."""

import resource

used = int(open("/proc/self/statm").read().split()[0]) * 4096
resource.setrlimit(resource.RLIMIT_AS, (used + (400 << 20),) * 2)
kept = []
try:
    while True:
        kept.append(bytearray(64 << 20))
except MemoryError:
    print(len(kept))
