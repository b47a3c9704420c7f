"""Carriage returns, as progress bars write them."""

import sys
import time

for n in range(20):
    sys.stderr.write(f"\r{n * 5}%")
    sys.stderr.flush()
    time.sleep(0.01)
sys.stderr.write("\n")
