"""`outlive detect` beside the best plain TensorFlow loop and Ray Data, on the same pictures and the same model.

    python bench/detect.py --model DIR [--photos DIR] [--megapixels 0.26] [--count 300] [--rounds 3] [--runtime tf] [--ray PYTHON] [--memory 100 10000] [--deaths 5]

Without --photos they are made: coarse noise with shapes, as JPEG. They are linked as often as needed. Each way runs in a process of its own, in turn, and does
the same to every picture: read the file, decode it, run the model, keep what scores 0.3 or more, write that down as JSON.

Told apart:
  start-up    from the start of the process to the first result: imports, loading the model, the first run
  rate        pictures/s from the 24th result (a kernel is made for every new size of picture) to the last
  CPU         milliseconds a picture between the same two points, of all processes of that way

What only Outlive does in the meantime counts against it: results are flushed to the disk four times a second, memory is watched, the worker says at what it is.
What it does after the last result (the results file is made of the journal) is told by itself. Ray has no figure for CPU: its processes are not ours to count.

--memory N: peak memory of the worker and of the parent after N pictures.
--deaths N: the worker is killed N times on the way: from the kill to the first result of the next worker, and how many pictures could have been done meanwhile.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image, ImageDraw

ROOT = Path(__file__).resolve().parent.parent

TELL = """
import json, os, resource, sys, time
WARM = 24
born = time.monotonic() - (time.time() - float(sys.argv[5]))
def cpu(*pids):
    ticks = 0
    for pid in pids:
        with open(f"/proc/{pid}/stat") as file:
            ticks += sum(int(word) for word in file.read().rpartition(")")[2].split()[11:13])
    return ticks / os.sysconf("SC_CLK_TCK")
def tell(start, warm, last, count, **more):
    rate = (count - warm[0]) / max(last[1] - warm[1], 1e-9)
    each = (last[2] - warm[2]) / max(1, count - warm[0])
    print(json.dumps({"start": start, "rate": rate, "cpu": each, "count": count, **more}))
"""

PLAIN = (
    TELL
    + """
import glob
import tensorflow as tf
model = tf.saved_model.load(sys.argv[1]).signatures["serving_default"]
name = list(model.structured_input_signature[1])[0]
def read(path):
    return path, tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
paths = sorted(glob.glob(sys.argv[2] + "/*.jpg"))
data = tf.data.Dataset.from_tensor_slices(paths).map(read, tf.data.AUTOTUNE).batch(1).prefetch(tf.data.AUTOTUNE)
count, start, warm = 0, None, None
with open(sys.argv[3], "w") as file:
    for path, picture in data:
        out = model(**{name: picture})
        scores = out["detection_scores"].numpy()[0]
        keep = scores >= 0.3
        rows = [path.numpy()[0].decode(), out["detection_boxes"].numpy()[0][keep].tolist(), scores[keep].tolist(), out["detection_classes"].numpy()[0][keep].tolist()]
        file.write(json.dumps(rows) + "\\n")
        count += 1
        if count == 1:
            start = time.monotonic() - born
        if count == WARM:
            warm = count, time.monotonic(), cpu("self")
last = count, time.monotonic(), cpu("self")
tell(start, warm, last, count, peak=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""
)

OUTLIVE = (
    TELL
    + """
import signal
from outlive.detection.inputs import inputs_from
from outlive.detection.job import Detection
from outlive.detection.models.runtimes import with_runtime
from outlive.detection.settings import Settings
settings = with_runtime(Settings(sys.argv[1], runtime=sys.argv[4], format="jsonl").checked(), print)
detection = Detection(settings, lambda: inputs_from([sys.argv[2]]), sys.argv[3] + ".out")
deaths, total = int(sys.argv[6]), int(sys.argv[7])
job = detection.job
count, start, warm, last = 0, None, None, None
killed, gaps = None, []
for answers in detection.answers():
    if not answers:
        continue
    assert all(one.good for one in answers), [one.verdict for one in answers if not one.good]
    now = time.monotonic()
    count += len(answers)
    start = now - born if start is None else start
    if killed is not None and job.worker_pid not in (None, killed[0]):
        gaps.append(now - killed[1])
        killed = None
    if job.worker_pid is not None:  # the last ones come when it is gone
        last = count, now, cpu("self", job.zygote_pid, job.worker_pid)
    if warm is None and count >= WARM:
        warm = last
    if killed is None and len(gaps) < deaths and count > (len(gaps) + 1) * total / (deaths + 1):
        killed = job.worker_pid, now
        os.kill(job.worker_pid, signal.SIGKILL)
done = time.monotonic()
detection.finish()
detection.close()
tell(start, warm, last, last[0], peak=job.progress.peak_bytes >> 20, gaps=gaps, batch=job.progress.size, sealing=time.monotonic() - done,
     parent=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""
)

RAY = (
    TELL
    + """
import glob
import ray
class Detector:
    def __init__(self, path):
        import tensorflow as tf
        self.tf = tf
        self.model = tf.saved_model.load(path).signatures["serving_default"]
        self.name = list(self.model.structured_input_signature[1])[0]
    def __call__(self, batch):
        answers = []
        for data in batch["bytes"]:
            picture = self.tf.io.decode_jpeg(data, channels=3)
            out = self.model(**{self.name: picture[None]})
            answers.append(int((out["detection_scores"].numpy()[0] >= 0.3).sum()))
        return {"path": batch["path"], "found": answers, "at": [time.time()] * len(answers)}
ray.init(num_cpus=2, logging_level="error", log_to_driver=False, include_dashboard=False)
ray.data.DataContext.get_current().enable_progress_bars = False
data = ray.data.read_binary_files(sorted(glob.glob(sys.argv[2] + "/*.jpg")), include_paths=True)
data = data.map_batches(Detector, fn_constructor_args=(sys.argv[1],), batch_size=8, concurrency=1, num_cpus=1)
ats = sorted(row["at"] for row in data.iter_rows())
warm = ats[WARM - 1]
later = sum(at > warm for at in ats)
print(json.dumps({"start": ats[0] - float(sys.argv[5]), "rate": later / max(ats[-1] - warm, 1e-9), "cpu": 0.0, "count": len(ats), "peak": 0}))
"""
)


def made_photos(folder: Path, megapixels: float) -> Path:
    noise = random.Random(0)
    folder.mkdir()
    side = int((megapixels * 1e6 / 12) ** 0.5)
    wide, high = 4 * side, 3 * side
    for number in range(6):
        small = Image.new("RGB", (64, 48))
        small.putdata([tuple(noise.randrange(256) for _ in range(3)) for _ in range(64 * 48)])
        picture = small.resize((wide, high), Image.Resampling.BICUBIC)
        pen = ImageDraw.Draw(picture)
        for _ in range(12):
            x, y = noise.randrange(wide), noise.randrange(high)
            colour = tuple(noise.randrange(256) for _ in range(3))
            pen.ellipse((x, y, x + wide // 6, y + high // 5), fill=colour)
        picture.save(folder / f"{number}.jpg", quality=90)
    return folder


def links(photos: Path, folder: Path, count: int) -> Path:
    sources = sorted(photos.glob("*.jpg"))
    folder.mkdir()
    for number in range(count):
        os.symlink(sources[number % len(sources)].resolve(), folder / f"{number:06}.jpg")
    return folder


def run(python: str, code: str, *words: str, deaths: int = 0, total: int = 0) -> dict[str, float]:
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(ROOT / "src")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    now = subprocess.check_output([python, "-c", "import time; print(time.time())"], text=True)
    done = subprocess.run(
        [python, "-c", code, *words, now.strip(), str(deaths), str(total)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    if done.returncode:
        sys.exit(done.stderr[-3000:])
    found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def compare(given: argparse.Namespace, folder: Path, photos: Path) -> float:
    """The rate of the plain loop and of the others; that of Outlive."""
    pictures = str(links(photos, folder / "pictures", given.count))
    ways = {"plain": (sys.executable, PLAIN), "outlive": (sys.executable, OUTLIVE)}
    if given.ray:
        ways["ray"] = (given.ray, RAY)
    told: dict[str, list[dict[str, float]]] = {way: [] for way in ways}
    for number in range(given.rounds):
        for way, (python, code) in ways.items():
            out = str(folder / f"{way}-{number}")
            one = run(python, code, given.model, pictures, out, given.runtime)
            told[way].append(one)
            print(
                f"round {number} {way:8} start-up {one['start']:5.1f} s, {one['rate']:7.2f} pictures/s, CPU {1e3 * one['cpu']:6.1f} ms a picture, "
                f"peak {one['peak']:.0f} MB, load {os.getloadavg()[0]:.1f}"
                + (f", results file {one['sealing']:.2f} s" if "sealing" in one else ""),
                flush=True,
            )
    for way, some in told.items():
        pairs = list(zip(some, told["plain"], strict=True))
        by_clock = [mine["rate"] / plain["rate"] for mine, plain in pairs]
        by_cpu = [plain["cpu"] / mine["cpu"] for mine, plain in pairs if mine["cpu"]]
        print(
            f"{way:8} median {statistics.median(one['rate'] for one in some):7.2f} pictures/s; to plain by the clock "
            f"{statistics.median(by_clock):.3f} ({min(by_clock):.3f} to {max(by_clock):.3f})"
            + (
                f", by CPU {statistics.median(by_cpu):.3f} ({min(by_cpu):.3f} to {max(by_cpu):.3f})"
                if by_cpu
                else ""
            )
        )
    return statistics.median(one["rate"] for one in told["outlive"])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--photos", type=Path)
    parser.add_argument(
        "--megapixels", type=float, default=0.26, help="of the photos that are made"
    )
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ray", help="a Python that has ray and tensorflow")
    parser.add_argument("--memory", type=int, nargs="*", default=[])
    parser.add_argument("--deaths", type=int, default=0)
    parser.add_argument("--runtime", default="tf")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        photos = given.photos or made_photos(folder / "photos", given.megapixels)
        rate = compare(given, folder, photos) if given.rounds else 0.0
        for count in given.memory:
            many = str(links(photos, folder / f"many-{count}", count))
            told = run(
                sys.executable, OUTLIVE, given.model, many, f"{many}-out", given.runtime
            )  # fmt: skip
            print(
                f"{count} pictures: worker {told['peak']:.0f} MB, parent {told['parent']:.0f} MB, {told['rate']:.1f} pictures/s",
                flush=True,
            )
        if given.deaths:
            many = str(links(photos, folder / "deadly", given.count))
            told = run(
                sys.executable, OUTLIVE, given.model, many, f"{many}-out", given.runtime, deaths=given.deaths, total=given.count
            )  # fmt: skip
            gaps: list[float] = told["gaps"]  # type: ignore[assignment]
            print(
                f"{len(gaps)} deaths: {min(gaps):.2f} to {max(gaps):.2f} s from the kill to the next worker's first result, median {statistics.median(gaps):.2f}"
                + (f": {statistics.median(gaps) * rate:.0f} pictures a death" if rate else "")
                + f"; load {os.getloadavg()[0]:.1f}"
            )


if __name__ == "__main__":
    main()
