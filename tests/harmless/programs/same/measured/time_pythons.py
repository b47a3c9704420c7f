# measures: time
# slow
"""30 short Pythons."""

import subprocess
import sys
import time

before = time.perf_counter()
for _ in range(30):
    subprocess.run([sys.executable, "-c", "pass"], check=True)
print("started")
print(time.perf_counter() - before)
