"""`outlive scan` beside Pillow: files a second, and how many of the damaged ones each finds.

    python bench/scan.py [--files 2000] [--repeat 3]

Every way reads the same files with one process, in alternation; the damage is the same for all. What a way does not find is as
important as its speed, so both stand in the table. CleanVision is measured when it is installed.
"""

from __future__ import annotations

import argparse
import io
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from PIL import Image

from outlive.scan.engine import Settings, check

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


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=2000)
    parser.add_argument("--repeat", type=int, default=3)
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
    return 0


if __name__ == "__main__":
    sys.exit(main())
