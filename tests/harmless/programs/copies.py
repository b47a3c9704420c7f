"""Copy stdin to stdout, and backwards to stderr, as bytes."""

import sys

data = sys.stdin.buffer.read()
sys.stdout.buffer.write(data)
sys.stderr.buffer.write(data[::-1])
