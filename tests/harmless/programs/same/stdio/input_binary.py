# input: \x00\x01\xe9bytes
"""Bytes of the input."""

import sys

print(sys.stdin.buffer.read())
