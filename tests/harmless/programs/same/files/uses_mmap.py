"""Maps of files and of nothing."""

import mmap
import os

with open("map", "wb") as file:
    file.write(bytes(8192))
with open("map", "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
    mapped[0:5] = b"bytes"
    mapped.flush()
print(open("map", "rb").read(5), len(mmap.mmap(-1, 4096)))
