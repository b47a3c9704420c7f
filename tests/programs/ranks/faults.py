"""What befalls a rank of a job: each fault is struck in the user's own code, at the line that is marked with its name."""

from __future__ import annotations

import ctypes
import itertools
import os
import queue
import signal
import sys
import threading
import time

#: Told to whoever plays the job: this rank has come to its fault.
READY = int(os.environ.get("RANK_READY", "-1"))


def told() -> None:
    if READY >= 0:
        os.write(READY, b"%d\n" % os.getpid())


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)  # <- kill


def outside() -> None:
    for (
        turn
    ) in itertools.count():  # until somebody kills it, who waits until it has been here for a while
        if turn == 100:
            told()
        time.sleep(0.01)  # <- outside


def raises() -> None:
    labels = {"cat": 0}
    print(labels["dog"])  # <- raises


def segfault() -> None:
    ctypes.string_at(0)  # <- segfault


def aborts() -> None:
    os.abort()  # <- aborts


def memory() -> None:
    kept = []
    while True:
        kept.append(os.urandom(1 << 20))  # <- memory


def disk() -> None:
    file = os.open(os.path.join(os.environ["RANK_DISK"], "checkpoint"), os.O_WRONLY | os.O_CREAT)
    while True:
        os.write(file, bytes(1 << 20))  # <- disk


def hangs() -> None:
    told()
    time.sleep(3600)  # <- hangs


def waits() -> None:
    told()
    queue.Queue().get()  # <- waits


def leaves() -> None:
    sys.exit(0)  # <- leaves


def exits() -> None:
    sys.exit(7)  # <- exits


def vanishes() -> None:
    os._exit(3)  # <- vanishes


def recursion() -> None:
    def deeper(n: int) -> int:
        return deeper(n + 1) + 1  # <- recursion

    deeper(0)


def loads() -> None:
    with open("shard-of-rank.bin", "rb") as file:  # <- loads
        file.read()


def files() -> None:
    kept = []
    while True:
        kept.append(os.open("/dev/null", os.O_RDONLY))  # <- files


def thread() -> None:
    def feed() -> None:
        raise LookupError("the reader lost its shard")  # <- thread

    feeder = threading.Thread(target=feed)
    feeder.start()
    feeder.join()
    os._exit(1)


def converts() -> None:
    int("n/a")  # <- converts


def alarm() -> None:
    signal.alarm(1)  # <- alarm
    signal.pause()


def interrupted() -> None:
    signal.raise_signal(signal.SIGINT)  # <- interrupted


def asserts() -> None:
    batch = [1, 2]
    assert len(batch) == 4, "short batch"  # <- asserts


def strike(rank: str, step: int) -> None:
    """What the job's player wants to befall this rank at this step: ``1=kill@10,2=raises@10``."""
    for wanted in filter(None, os.environ.get("RANK_FAULTS", "").split(",")):
        who, _, what = wanted.partition("=")
        fault, _, at = what.partition("@")
        if who == rank and int(at or 5) == step:
            globals()[fault]()
