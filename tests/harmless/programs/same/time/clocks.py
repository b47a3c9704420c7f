"""Clocks and their properties."""

import time

for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time"):
    info = time.get_clock_info(name)
    print(name, info.implementation, info.monotonic, info.adjustable)
print(time.tzname, time.timezone)
