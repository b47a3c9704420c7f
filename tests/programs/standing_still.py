"""Threads compute while the recorder inside stands still twenty times; says in how many of them nobody else ran."""

import sys
import threading
import time

from _outlive.memory.census import Standstill

stop = threading.Event()
counted = [0] * int(sys.argv[1])


def run(place):
    while not stop.is_set():
        counted[place] += 1


threads = [threading.Thread(target=run, args=(place,)) for place in range(len(counted))]
for thread in threads:
    thread.start()
still = 0
for _ in range(20):
    with Standstill():
        before = list(counted)
        until = time.perf_counter() + 0.03
        while time.perf_counter() < until:
            pass
        still += before == counted
stop.set()
print(still)
