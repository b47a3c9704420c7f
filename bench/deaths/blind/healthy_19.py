"""The disk for checkpoints fills up; the oldest are deleted and the newest is written again."""
# expect: nothing
# disk: size=6m

import errno
import pathlib

import numpy as np


class Checkpoints:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(exist_ok=True)
        self.dropped = 0

    def drop_oldest(self):
        oldest = sorted(self.folder.glob("*.bin"))[0]
        oldest.unlink()
        self.dropped += 1

    def save(self, step, weights):
        path = self.folder / f"{step:05}.bin"
        while True:
            try:
                path.write_bytes(weights.tobytes())
                return
            except OSError as error:
                if error.errno != errno.ENOSPC:
                    raise
                print("No space left on device at step", step)
                path.unlink(missing_ok=True)
                self.drop_oldest()


checkpoints = Checkpoints("disk/checkpoints")
weights = np.zeros(250_000, np.float32)
for step in range(20):
    weights += 0.1
    checkpoints.save(step, weights)
print("dropped", checkpoints.dropped, "kept", len(list(pathlib.Path("disk/checkpoints").iterdir())))
