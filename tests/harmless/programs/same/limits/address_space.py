"""Under a limit of address space an ordinary request is served and a large one refused."""

import resource

resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
print(len(bytearray(300 << 20)))
try:
    bytearray(2 << 30)
except MemoryError:
    print("refused")
