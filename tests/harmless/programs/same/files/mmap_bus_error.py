# status: SIGBUS
"""A map whose file became shorter."""

import mmap

with open("map", "wb") as file:
    file.write(bytes(8192))
with open("map", "r+b") as file:
    mapped = mmap.mmap(file.fileno(), 0)
    file.truncate(0)
    mapped[5000]
