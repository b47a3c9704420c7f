"""An administrator ends the job with kill -9 while it waits for the next file of the stream."""
# expect: killed-by-process
# send: SIGKILL

import os
import pathlib
import time

import numpy as np


class Inbox:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.seen = set()

    def poll(self):
        for path in sorted(self.folder.glob("*.npy")):
            if path not in self.seen:
                self.seen.add(path)
                yield np.load(path)


def ready():
    if "VICTIM_READY" in os.environ:
        os.write(int(os.environ["VICTIM_READY"]), str(os.getpid()).encode())


def serve(inbox, seconds):
    mean, count = 0.0, 0
    end = time.monotonic() + seconds
    ready()
    while time.monotonic() < end:
        for rows in inbox.poll():
            count += 1
            mean += (rows.mean() - mean) / count
        time.sleep(0.1)
    return mean, count


inbox = Inbox("inbox")
for n in range(3):
    np.save(f"inbox/part{n}.npy", np.full((100, 4), n))
print(serve(inbox, 30))
