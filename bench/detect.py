"""`outlive detect` beside the best plain TensorFlow loop and Ray Data, on the same pictures and the same model.

    python bench/detect.py --model DIR --photos DIR [--count 400] [--rounds 3] [--ray PYTHON] [--memory 100 10000] [--deaths 5]

Each way runs in a process of its own, in turn. Counted is the time from the 24th result to the last, so that what each needs to start and to
warm up (a kernel is made for every new size of picture) is left out, and by itself the time from the start to the end. Peak memory is that of the largest process of a way (its children included), by the
kernel. The photos are linked as often as needed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

TELL = """
import json, resource, time
WARM = 24
def tell(began, first, last, count, **more):
    own, children = (resource.getrusage(who).ru_maxrss // 1024 for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    rate = (count - first[0]) / max(last - first[1], 1e-9)
    cpu = sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(json.dumps({"rate": rate, "whole": last - began, "count": count, "peak": max(own, children), "cpu": cpu, **more}))
"""

PLAIN = (
    TELL
    + """
import glob, sys
began = time.monotonic()
import tensorflow as tf
model = tf.saved_model.load(sys.argv[1]).signatures["serving_default"]
name = list(model.structured_input_signature[1])[0]
def read(path):
    return path, tf.io.decode_jpeg(tf.io.read_file(path), channels=3)
paths = sorted(glob.glob(sys.argv[2] + "/*.jpg"))
data = tf.data.Dataset.from_tensor_slices(paths).map(read, tf.data.AUTOTUNE).batch(1).prefetch(tf.data.AUTOTUNE)
count, first = 0, None
with open(sys.argv[3], "w") as file:
    for path, picture in data:
        out = model(**{name: picture})
        scores = out["detection_scores"].numpy()[0]
        keep = scores >= 0.3
        rows = [path.numpy()[0].decode(), out["detection_boxes"].numpy()[0][keep].tolist(), scores[keep].tolist(), out["detection_classes"].numpy()[0][keep].tolist()]
        file.write(json.dumps(rows) + "\\n")
        count += 1
        if count == WARM:
            first = count, time.monotonic()
tell(began, first, time.monotonic(), count)
"""
)

OUTLIVE = (
    TELL
    + """
import glob, sys
began = time.monotonic()
import outlive
count, first, last = 0, None, None
for one in outlive.detect(sys.argv[1], sys.argv[2], out=sys.argv[3] + ".out", format="jsonl", runtime=sys.argv[4]):
    assert one.good, one.verdict
    last = time.monotonic()
    count += 1
    if first is None and count >= WARM:
        first = count, last
    elif first is not None and last - first[1] < 0.01:
        first = count, first[1]  # they come in groups, as they are written
tell(began, first, last, count)
"""
)

RAY = (
    TELL
    + """
import glob, os, sys
began = time.monotonic()
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
count, ats = 0, []
for row in data.iter_rows():
    count += 1
    ats.append(row["at"])
ats.sort()
start = ats[WARM - 1]
later = sum(at > start for at in ats)
print(json.dumps({"rate": later / max(ats[-1] - start, 1e-9), "whole": time.monotonic() - began, "count": count, "peak": 0, "cpu": 0}))
"""
)


def links(photos: Path, folder: Path, count: int) -> Path:
    sources = sorted(photos.glob("*.jpg"))
    folder.mkdir()
    for number in range(count):
        os.symlink(sources[number % len(sources)].resolve(), folder / f"{number:06}.jpg")
    return folder


def run(python: str, code: str, *words: str) -> dict[str, float]:
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(ROOT / "src")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [python, "-c", code, *words], capture_output=True, text=True, env=environment, check=False
    )
    if done.returncode:
        sys.exit(done.stderr[-3000:])
    found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", required=True)
    parser.add_argument("--photos", type=Path, required=True)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--ray", help="a Python that has ray and tensorflow")
    parser.add_argument("--memory", type=int, nargs="*", default=[])
    parser.add_argument("--runtime", default="tf")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pictures = str(links(given.photos, folder / "pictures", given.count))
        ways = {"plain": (sys.executable, PLAIN), "outlive": (sys.executable, OUTLIVE)}
        if given.ray:
            ways["ray"] = (given.ray, RAY)
        rates: dict[str, list[float]] = {way: [] for way in ways}
        for number in range(given.rounds):
            for way, (python, code) in ways.items():
                told = run(
                    python,
                    code,
                    given.model,
                    pictures,
                    str(folder / f"{way}-{number}"),
                    given.runtime,
                )
                rates[way].append(told["rate"])
                print(
                    f"round {number} {way:8} {told['rate']:7.2f} pictures/s, {told['whole']:6.1f} s in all, "
                    f"{told['cpu']:6.1f} s CPU, largest process {told['peak']:.0f} MB, load {os.getloadavg()[0]:.1f}",
                    flush=True,
                )
        for way in rates:
            ratios = [mine / plain for mine, plain in zip(rates[way], rates["plain"], strict=True)]
            print(
                f"{way:8} median {statistics.median(rates[way]):7.2f} pictures/s, to plain {statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})"
            )
        for count in given.memory:
            many = str(links(given.photos, folder / f"many-{count}", count))
            told = run(
                sys.executable,
                OUTLIVE,
                given.model,
                many,
                str(folder / f"many-{count}-out"),
                given.runtime,
            )
            print(
                f"{count} pictures: largest process {told['peak']:.0f} MB, {told['rate']:.1f} pictures/s",
                flush=True,
            )


if __name__ == "__main__":
    main()
