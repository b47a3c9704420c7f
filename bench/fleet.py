"""Measures `outlive runs --group` over many generated verdicts: the first reading of their files, and every later question.

    python bench/fleet.py 100000

The verdicts are those that the manual keeps, each with its own time, host and revision; nothing of them is really run.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from outlive.inside.notes import kinds
from outlive.inside.notes.format import encode
from outlive.recorder.store import run_folders
from outlive.report.fleet.groups import groups
from outlive.report.fleet.table import fleet

VERDICTS = Path(__file__).resolve().parent.parent / "docs" / "verdicts"
HOSTS = 200
YEAR = 365 * 86_400


def kept() -> list[tuple[str, dict[str, Any]]]:
    """The verdicts of the manual, with the program of each."""
    found = [json.loads(path.read_text()) for path in sorted(VERDICTS.glob("*.json"))]
    return [(Path(it.get("program") or "train.py").name, it["verdict"]) for it in found]


def generate(home: Path, count: int) -> None:
    """Write that many runs of many hosts, each with its first entry, some samples and its verdict."""
    chance, verdicts, now = random.Random(7), kept(), time.time()
    for number in range(count):
        program, verdict = chance.choice(verdicts)
        began = now - chance.random() * YEAR
        host = f"node{chance.randrange(HOSTS)}"
        name = f"{time.strftime('%Y%m%d-%H%M%S', time.localtime(began))}-{number:07x}"
        folder = home / host / "runs" / name
        folder.mkdir(parents=True)
        start = {
            "kind": kinds.RUN, "command": ["python", program], "folder": "/home/u/project", "pid": 100, "time": began,
            "host": {"name": host}, "revision": f"{int(began // (7 * 86_400)):040x}",
            "environment": {f"TF_{letter}": "1" for letter in "ABCDEFGH"},
        }  # fmt: skip
        sample = {"kind": kinds.SAMPLE, "rss": 1, "at": 1.0}
        frames = [encode(1, start), *(encode(2 + turn, sample) for turn in range(20))]
        (folder / run_folders.LOG_NAME).write_bytes(b"".join(frames))
        cause = verdict["cause"]
        if cause and cause["where"]:
            cause["where"]["line"] = chance.randrange(1, 500)
        (folder / run_folders.VERDICT_NAME).write_text(json.dumps({**verdict, "run": name}))
        (folder / run_folders.SEALED_NAME).touch()


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory() as folder:
        os.environ["OUTLIVE_HOME"] = str(Path(folder, "home"))
        place = Path(folder, "fleet")
        began = time.monotonic()
        generate(place, count)
        print(f"{count} runs of {HOSTS} hosts generated in {time.monotonic() - began:.1f} s")
        for turn in ("first reading", "again", "once more"):
            began, cpu = time.monotonic(), time.process_time()
            found = groups(fleet([str(place)]), time.time())
            print(
                f"{turn}: {time.monotonic() - began:.1f} s ({time.process_time() - cpu:.1f} s of CPU), {len(found)} faults, the most frequent {found[0].times} times"
            )
        index = sum(path.stat().st_size for path in Path(folder, "home").rglob("*.parquet"))
        print(f"index: {index / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
