"""Write so many million bytes to stdout: `writes.py MEGABYTES`."""

import sys

BLOCK = (b"x" * 99 + b"\n") * 1_000

for _ in range(int(sys.argv[1]) * 10):
    sys.stdout.buffer.write(BLOCK)
