"""In a container, with a limit near by, a watchdog kills the program: the counters show that the kernel did not."""
# expect: killed-by-process PROVEN
# ending: 137
# memory: 200
# container: yes

import os
import subprocess
import sys
import time


def watched(seconds: float) -> None:
    ballast = bytearray(b"x" * 60_000_000)
    script = f"sleep 0.3; kill -9 {os.getpid()}" if seconds > 1 else "true"
    watchdog = subprocess.Popen(["sh", "-c", script])
    time.sleep(seconds)
    sys.exit(watchdog.wait() or not ballast)


def die() -> None:
    watched(30)


def spare() -> None:
    watched(0.2)
