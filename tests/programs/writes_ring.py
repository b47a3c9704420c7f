"""Writes frames into a ring until it is killed: ``writes_ring.py FILE BYTES``; tells on stdout how far it is."""

import mmap
import os
import sys

from outlive.inside.notes.format import Ring

path, size = sys.argv[1], int(sys.argv[2])
with open(path, "wb") as file:
    file.truncate(size)
handle = os.open(path, os.O_RDWR)
ring = Ring(mmap.mmap(handle, size), 0, size)
number = 0
while True:
    number += 1
    ring.append({"kind": "note", "number": number, "text": str(number) * (number % 97)})
    if number % 500 == 0:
        os.write(1, b"%d\n" % number)
