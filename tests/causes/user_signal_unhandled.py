"""SIGUSR1 to a thread-heavy program that never heard of it."""
# expect: terminated-by-process PROVEN
# ending: SIGUSR1
# send: SIGUSR1

import os
import sys
import threading


def run(stay: bool) -> None:
    gate = threading.Event()
    threads = [threading.Thread(target=gate.wait, daemon=True) for _ in range(5)]
    for thread in threads:
        thread.start()
    os.write(int(os.environ["VICTIM_READY"]), b"%d\n" % os.getpid())
    if stay:
        sys.stdin.read()
    gate.set()


def die() -> None:
    run(True)


def spare() -> None:
    run(False)
