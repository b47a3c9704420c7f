"""Each camera has a worker process; the one for the long video collects its frames and is killed, the others live."""
# expect: worker-out-of-memory
# memory: 500

import multiprocessing
import sys

import numpy as np


class CameraWorker(multiprocessing.Process):
    def __init__(self, name, frames, results):
        super().__init__(name=name)
        self.frames = frames
        self.results = results

    def run(self):
        video = []
        for n in range(self.frames):
            video.append(np.full((480, 640, 3), n % 256, np.uint8))  # <- here
        background = np.median(np.stack(video[:20]), axis=0)
        self.results.put((self.name, float(background.mean())))


def main():
    results = multiprocessing.Queue()
    failed = []
    for name, frames in {"door": 60, "yard": 80, "street": 3000}.items():
        worker = CameraWorker(name, frames, results)
        worker.start()
        worker.join()  # <- here
        if worker.exitcode != 0:
            failed.append(f"{worker.name}: exit code {worker.exitcode}")
        else:
            print(results.get())
    if failed:
        sys.exit("workers failed: " + ", ".join(failed))


if __name__ == "__main__":
    main()
