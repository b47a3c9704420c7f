"""Twenty megabytes of output."""

import sys

line = "0123456789" * 10 + "\n"
for _ in range(200_000):
    sys.stdout.write(line)
