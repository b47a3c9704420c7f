"""tracemalloc finds no block that the recorder made after the start."""

import time
import tracemalloc

tracemalloc.start(5)
kept = [bytes(1000) for _ in range(100)]
time.sleep(0.4)
shot = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(False, tracemalloc.__file__)])
print(
    [
        stat.traceback[0].filename.rpartition("/")[2]
        for stat in shot.statistics("filename")
        if "outlive" in stat.traceback[0].filename
    ],
    tracemalloc.is_tracing(),
)
