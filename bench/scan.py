"""`outlive scan` beside Pillow: files a second, and how many of the damaged ones each finds.

    python bench/scan.py [--files 2000] [--repeat 3] [--cleanvision PYTHON]

Every way reads the same files with one process, in alternation; the damage is the same for all. What a way does not find is as
important as its speed, so both stand in the table. CleanVision is measured in an environment of its own.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from PIL import Image

from outlive.data.scan.engine import Settings, check

DAMAGED_SHARE = 0.05
SIDE = (500, 375)


def photo(noise: random.Random) -> bytes:
    """Like a photograph in size: smooth areas with some grain."""
    small = Image.new("RGB", (40, 30))
    small.putdata([tuple(noise.randrange(256) for _ in range(3)) for _ in range(1200)])
    buffer = io.BytesIO()
    small.resize(SIDE, Image.Resampling.BICUBIC).save(buffer, "JPEG", quality=88)
    return buffer.getvalue()


def damaged(data: bytes, noise: random.Random) -> bytes:
    """Cut short, emptied, overwritten, or with bytes flipped in the body."""
    way = noise.randrange(4)
    if way == 0:
        return data[: noise.randrange(200, len(data) - 10)]
    if way == 1:
        return b""
    if way == 2:
        return b"<html>not found</html>"
    body = bytearray(data)
    for _ in range(20):
        body[noise.randrange(700, len(body) - 2)] ^= 0xFF
    return bytes(body)


def by_outlive(path: Path) -> bool:
    found = check(str(path), Settings())
    return bool(found and found.flaws)


def by_pillow_verify(path: Path) -> bool:
    try:
        with Image.open(path) as image:
            image.verify()
    except Exception:
        return True
    return False


def by_pillow_load(path: Path) -> bool:
    try:
        with Image.open(path) as image:
            image.load()
    except Exception:
        return True
    return False


def by_turbo(path: Path) -> bool:
    import simplejpeg

    try:
        simplejpeg.decode_jpeg(path.read_bytes())
    except Exception:
        return True
    return False


WAYS: dict[str, Callable[[Path], bool]] = {
    "outlive scan": by_outlive,
    "Pillow verify": by_pillow_verify,
    "Pillow load": by_pillow_load,
    "libjpeg-turbo, full size": by_turbo,
}


def measure(files: Sequence[Path], bad: set[Path], repeat: int) -> None:
    rates: dict[str, list[float]] = {name: [] for name in WAYS}
    found: dict[str, set[Path]] = {}
    for _ in range(repeat):
        for name, way in WAYS.items():
            began = time.process_time()
            found[name] = {path for path in files if way(path)}
            rates[name].append(len(files) / (time.process_time() - began))
    reference = statistics.median(rates["outlive scan"])
    print(
        f"| way | files/s a core | outlive is | found of {len(bad)} | false alarms |\n|---|---|---|---|---|"
    )
    for name, values in rates.items():
        middle = statistics.median(values)
        spread = f"{min(values):.0f}–{max(values):.0f}"
        print(
            f"| {name} | {middle:.0f} ({spread}) | {reference / middle:.2f}× | {len(found[name] & bad)} | {len(found[name] - bad)} |"
        )


CLEANVISION = """
import json, sys, time
from cleanvision import Imagelab
began = time.process_time()
try:
    lab = Imagelab(data_path=sys.argv[1])
    lab.find_issues(n_jobs=1, verbose=False)
    flagged = [path for path, row in lab.issues.iterrows() if any(row[name] for name in row.index if name.startswith("is_") and "duplicates" not in name)]
    told = {"flagged": flagged}
except Exception as error:
    told = {"failed": f"{type(error).__name__}: {error}"[:200]}
print(json.dumps({"seconds": time.process_time() - began, **told}))
"""


def measure_cleanvision(python: str, folder: str, files: Sequence[Path], bad: set[Path]) -> None:
    """In an environment of its own, over the whole folder at once: that is how it works."""
    done = subprocess.run(
        [python, "-c", CLEANVISION, folder], capture_output=True, text=True, check=False
    )
    if done.returncode:
        print(f"| CleanVision | ended with {done.returncode}: {done.stderr.strip()[-200:]} | | | |")
        return
    told = json.loads(done.stdout.strip().splitlines()[-1])
    if "failed" in told:
        print(f"| CleanVision | failed after {told['seconds']:.1f} s: {told['failed']} | | 0 | |")
        if bad:
            with tempfile.TemporaryDirectory() as whole:
                for path in set(files) - bad:
                    os.link(path, Path(whole) / path.name)
                measure_cleanvision(python, whole, sorted(Path(whole).iterdir()), set())
        return
    flagged = {Path(path) for path in told["flagged"]}
    rate = len(files) / told["seconds"]
    print(f"| CleanVision | {rate:.0f} | | {len(flagged & bad)} | {len(flagged - bad)} |")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--cleanvision", help="a Python that has it")
    arguments = parser.parse_args()
    noise = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        files, bad = [], set()
        base = [photo(noise) for _ in range(20)]
        for number in range(arguments.files):
            path = Path(folder) / f"{number}.jpg"
            data = base[number % len(base)]
            if noise.random() < DAMAGED_SHARE:
                data = damaged(data, noise)
                bad.add(path)
            path.write_bytes(data)
            files.append(path)
        measure(files, bad, arguments.repeat)
        if arguments.cleanvision:
            measure_cleanvision(arguments.cleanvision, folder, files, bad)
    return 0


if __name__ == "__main__":
    sys.exit(main())
