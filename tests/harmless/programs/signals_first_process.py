"""Send SIGTERM to process 1, which bare is this program, as scripts do that end a container from within."""

import os
import signal
import subprocess
import sys
import time

told = []
signal.signal(signal.SIGTERM, lambda number, _frame: told.append(number))
if sys.argv[1] == "itself":
    os.kill(1, signal.SIGTERM)
else:
    subprocess.run(["sh", "-c", "kill -TERM 1"], check=True)
until = time.monotonic() + 30
while not told and time.monotonic() < until:
    time.sleep(0.01)
print("told once" if told == [signal.SIGTERM] else told, flush=True)
os._exit(4)
