# python: -u
"""Without buffers, every byte as it comes."""

import os
import sys

sys.stdout.write("a")
os.write(1, b"b")
sys.stderr.write("c")
os.write(2, b"d")
print()
