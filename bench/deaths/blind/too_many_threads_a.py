"""One thread for each file instead of a pool, in a container that allows 60 tasks."""
# expect: too-many-threads
# tasks: 60

import threading
import time

import numpy as np


class Downloader:
    def __init__(self):
        self.rows = {}

    def fetch(self, name):
        time.sleep(3)
        self.rows[name] = np.arange(8)

    def fetch_all(self, names):
        threads = []
        for name in names:
            thread = threading.Thread(target=self.fetch, args=(name,))
            thread.start()  # <- here
            threads.append(thread)
        for thread in threads:
            thread.join()
        return self.rows


names = [f"shard-{n:04}.npz" for n in range(500)]
print("fetched", len(Downloader().fetch_all(names)))
