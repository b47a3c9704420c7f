"""Pictures per CPU second: `outlive detect` on this machine, and the same in one actor and in two on a Ray cluster of this machine.

    python bench/detect_on_ray.py --model DIR [--pictures 300] [--rounds 1]

Counted is the CPU of the parent or actors, of zygotes and workers, from the first result to the last, and of the driver; not that of Ray's own processes. Each
actor has one core. Needs Ray, and a SavedModel: shared/models/ssdlite_mobilenet_v2_coco of FACTS-detection, or any detector.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
HELPERS = ROOT / "tests" / "helpers"
sys.path[:0] = [str(HELPERS), str(ROOT / "src")]

from kill_storm import answered, detect_command  # noqa: E402
from ray_processes import Talking, of_home  # noqa: E402

SIZE = 640, 408
TICKS = os.sysconf("SC_CLK_TCK")
OURS = ("outlive.jobs.zygote", "ray::Seat", "outlive detect")


def make(folder: Path, count: int) -> None:
    """Smooth noise, of which a JPEG is about as large as of a photo; a few, linked."""
    folder.mkdir()
    noise = numpy.random.default_rng(1)
    for number in range(count):
        path = folder / f"{number:05}.jpg"
        if number < 8:
            small = noise.integers(0, 255, (51, 80, 3), dtype="uint8")
            Image.fromarray(small).resize(SIZE).save(path, quality=90)
        else:
            os.link(folder / f"{number % 8:05}.jpg", path)


def cpu_of(home: str) -> dict[int, float]:
    found = {}
    for pid, words in of_home(home):
        if not any(one in words for one in OURS):
            continue
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found[pid] = (int(fields[11]) + int(fields[12])) / TICKS
    return found


def measure(name: str, command: list[str], out: Path, environment: dict[str, str]) -> float:
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    home = environment["OUTLIVE_HOME"]
    first: tuple[int, dict[int, float], float] | None = None
    last: tuple[int, dict[int, float], float] | None = None
    while process.poll() is None:
        done = answered(out) if out.exists() else 0
        if done and (last is None or done > last[0]):
            last = done, cpu_of(home), time.monotonic()
            first = first or last
        time.sleep(0.1)
    assert process.returncode == 0, (name, process.returncode)
    assert first is not None
    assert last is not None
    pictures = last[0] - first[0]
    used = sum(seconds - first[1].get(pid, 0.0) for pid, seconds in last[1].items())
    rate = pictures / used
    clock = pictures / (last[2] - first[2])
    print(f"{name:<22} {rate:6.2f} pictures per CPU second, {clock:6.2f} per second", flush=True)
    return rate


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--pictures", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(folder / "pictures", given.pictures)
        environment = {
            **os.environ,
            "HOME": name,
            "OUTLIVE_HOME": f"{name}/outlive",
            "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]),
            "RAY_AUTH_MODE": "disabled",
            "RAY_USAGE_STATS_ENABLED": "0",
        }

        def run(kind: str, number: int, pinned: bool, *words: str) -> float:
            out = folder / f"{kind.replace(' ', '-')}-{number}"
            command = detect_command(given.model, folder / "pictures", out, *words)
            here = ["taskset", "-c", "0"] if pinned else []
            return measure(kind, [*here, *command, "--runtime", "tf"], out, environment)

        for number in range(given.rounds):
            one = run("here, one core", number, True, "--format", "jsonl")
            both = run("here, two cores", number, False, "--format", "jsonl")
            for actors, before in ((1, one), (2, both)):
                cluster = Talking(environment, "ray_cluster.py", "1", str(actors))
                on = f"ray:{cluster.heard()['address']}"
                words = ("--on", on, "--format", "jsonl")
                rate = run(f"Ray, {actors} actors", number, actors == 1, *words)
                cluster.end()
                print(f"{'':<22} ratio {rate / before:.2f}", flush=True)


if __name__ == "__main__":
    main()
