"""The cgroup gives a tenth of a CPU; what takes a second elsewhere is not done when the time is up, and `timeout` ends it."""
# expect: cpu-throttled LIKELY
# ending: SIGTERM
# cpus: 0.1
# send: SIGTERM
# sender: timeout

import os
import time


def work(seconds: float) -> float:
    total, until = 0.0, time.process_time() + seconds
    while time.process_time() < until:  # <- here
        total += sum(number * 0.5 for number in range(2000))  # <- here
    return total


def run(seconds: float) -> None:
    work(0.2)
    os.write(int(os.environ["VICTIM_READY"]), b"%d\n" % os.getpid())
    print(work(seconds))


def die() -> None:
    run(60.0)


def spare() -> None:
    run(0.0)
