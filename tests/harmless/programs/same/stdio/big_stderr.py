"""Five megabytes on stderr."""

import sys

line = "0123456789" * 10 + "\n"
for _ in range(50_000):
    sys.stderr.write(line)
