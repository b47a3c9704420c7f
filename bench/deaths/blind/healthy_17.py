"""Twenty threads read a memory-mapped file through a bounded queue, noisily; the file is deleted while mapped."""
# expect: nothing

import os
import queue
import sys
import threading

import numpy as np

np.arange(2_000_000, dtype=np.float32).tofile("table.f32")
table = np.memmap("table.f32", np.float32, "r").reshape(-1, 100)
os.remove("table.f32")
work, results = queue.Queue(maxsize=8), queue.Queue()


def reader(number):
    while (start := work.get()) is not None:
        rows = table[start : start + 500]
        if start % 4000 == 0:
            print(f"WARNING thread {number}: ERROR rate is 0, Bus error not seen", file=sys.stderr)
        results.put(float(rows.mean()))
    work.put(None)


threads = [threading.Thread(target=reader, args=(n,), daemon=True) for n in range(20)]
for thread in threads:
    thread.start()
for start in range(0, len(table), 500):
    work.put(start)
work.put(None)
for thread in threads:
    thread.join()
print("mean", sum(results.get() for _ in range(len(table) // 500)) / (len(table) // 500))
