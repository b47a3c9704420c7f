"""While this program runs, the kernel kills its worker for memory; seconds later a process kills the program itself."""
# expect: killed-by-process PROVEN
# ending: SIGKILL
# memory: 200
# send: SIGKILL

import os
import subprocess
import sys
import time

EATER = "x = []\nwhile True: x.append(bytearray(10_000_000))"


def die() -> None:
    ended = subprocess.run([sys.executable, "-S", "-c", EATER], check=False)
    assert ended.returncode == -9
    time.sleep(1.0)  # the kernel's count must be older than the death to be told from it
    os.write(int(os.environ["VICTIM_READY"]), b"%d\n" % os.getpid())
    sys.stdin.read()


def spare() -> None:
    os.write(int(os.environ["VICTIM_READY"]), b"%d\n" % os.getpid())
