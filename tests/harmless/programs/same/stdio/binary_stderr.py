"""Bytes that are no text on stderr."""

import os

os.write(2, bytes(range(256)) * 4)
os.writev(2, [b"vec", b"tor", b"\n"])
