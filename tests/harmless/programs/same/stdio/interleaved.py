"""Writes past the buffers and through them."""

import os
import sys

sys.stdout.write("buffered ")
os.write(1, b"direct ")
sys.stdout.flush()
print("end")
