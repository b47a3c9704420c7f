"""Write so many bytes that are never the same twice in a row, and their digest to stderr: ``writes_much.py BYTES``."""

import hashlib
import os
import random
import sys

left, digest = int(sys.argv[1]), hashlib.blake2b()
block = random.Random(2).randbytes(1 << 20)
while left:
    piece = memoryview(block)[: min(left, len(block))]
    digest.update(piece)
    left -= len(piece)
    while piece:
        piece = piece[os.write(1, piece) :]
sys.stderr.write(digest.hexdigest())
