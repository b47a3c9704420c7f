"""The whole storm: 2,000 pictures, 20 of them poison, 50 kills at random moments, under a limit at which a plain loop dies.

    python bench/chaos.py [--good 1980] [--kills 50] [--limit 1500] [--seed 1] [--model DIR] [--figures .harmless]

Says what was killed, how often the job had to be started, and what was wrong at the end: nothing, if every good picture is there
exactly once and every bad one is named with its cause. A plain TensorFlow loop over the same pictures, which catches every exception
and skips what would hang or crash it, is run under the same limit first. With --figures the counts are left for `make trust`.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "helpers"), str(ROOT / "demo")]

from limited import enter, memory_group  # noqa: E402

from kill_storm import POISON, detect_command, make_pictures, reckoning, weather, wrong  # noqa: E402
from trust_figures import write_figures  # noqa: E402

WHOM = ("worker", "worker", "zygote", "supervisor", "all")

PLAIN = """
import sys, glob, tensorflow as tf
model = tf.saved_model.load(sys.argv[1]).signatures["serving_default"]
count = 0
for path in sorted(glob.glob(sys.argv[2] + "/*.jpg")):
    if any(word in path for word in ("segfault", "check", "loops", "blocks")):
        continue
    try:
        picture = tf.io.decode_image(tf.io.read_file(path), channels=3, expand_animations=False)
        model(input_tensor=picture[None])
        count += 1
    except Exception:
        pass
    if count % 100 == 0:
        print(count, flush=True)
print("all", count)
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--good", type=int, default=1980)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--limit", type=int, default=1500, help="MB, of the whole job")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--figures", type=Path)
    given = parser.parse_args()
    noise = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model = given.model
        if model is None:
            subprocess.run(
                [sys.executable, str(ROOT / "tests" / "helpers/small_detectors.py"), name, "any"],
                check=True,
                capture_output=True,
            )
            model = folder / "any"
        pictures, out = folder / "pictures", folder / "found"
        make_pictures(pictures, given.good, POISON, given.seed)
        with memory_group(given.limit) as group:
            plain = subprocess.run(
                [sys.executable, "-c", PLAIN, str(model), str(pictures)],
                capture_output=True,
                text=True,
                check=False,
                preexec_fn=lambda: enter(group),
            )
        last = plain.stdout.split()[-1:] or ["none"]
        print(
            f"plain loop in {given.limit} MB: status {plain.returncode}, after about {last[0]} pictures"
        )
        total = given.good + sum(POISON.values())
        points = sorted(noise.randrange(int(total * 0.8)) for _ in range(given.kills))
        kills = [(point, noise.choice(WHOM)) for point in points]
        began = time.monotonic()
        with memory_group(given.limit) as group:
            storm = weather(
                detect_command(model, pictures, out, "--deadline", "10", "--format", "jsonl"),
                out,
                kills,
                {**os.environ, "PYTHONPATH": str(ROOT / "src")},
                wait=lambda: time.sleep(noise.random() * 0.5),
                enter=lambda: enter(group),
            )
        names, causes = reckoning(out)
        faults = wrong(pictures, out)
        print(
            f"outlive detect: status {storm.status}, {time.monotonic() - began:.0f} s, started {storm.starts} times"
        )
        print(f"killed: {dict(storm.killed)}, {sum(storm.killed.values())} in all")
        print(f"answered: {len(names)} of {total}, {len(causes)} of them in quarantine")
        print("\n".join(faults[:20]) or "nothing was wrong")
        if given.figures:
            counts = {
                "kills": sum(storm.killed.values()),
                "pictures": total,
                "starts": storm.starts,
            }
            write_figures(
                given.figures, "detect", counts | {"lost, twice or wrongly named": len(faults)}
            )
        if storm.status not in (0, 1):
            print(storm.stderr[-2000:])
        sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
