"""A detection job in a storm: pictures that kill the model, and processes of the job that are killed while it runs. Shared with bench/chaos.py and bench/chaos_ray.py."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from PIL import Image

from outlive.jobs.leases.parts import Parts
from outlive.jobs.leases.storage import FolderStorage
from outlive.jobs.results_journal import read_journal
from small_detectors import ABORTS, EATS, HANGS, SEGFAULTS

#: What each kind of poison must be told as. What a kernel does with a wild address is not the same on every machine.
CAUSES: Mapping[str, tuple[str, ...]] = {
    "truncated": ("corrupt-image",),
    "empty": ("corrupt-image",),
    "html": ("corrupt-image",),
    "bomb": ("decompression-bomb",),
    "segfault": ("native-op-crashed",),
    "check": ("tf-check-failed",),
    "eats": ("memory-limit-reached",),
    "blocks": ("waiting-forever",),
    "loops": ("waiting-forever",),
}

#: What a storm mixes among the good pictures: twenty of all kinds.
POISON: Mapping[str, int] = {
    "truncated": 4,
    "empty": 2,
    "html": 2,
    "bomb": 3,
    "segfault": 2,
    "check": 2,
    "eats": 3,
    "blocks": 1,
    "loops": 1,
}

SECONDS = 3600.0


def make_pictures(folder: Path, good: int, poison: Mapping[str, int], seed: int = 1) -> None:
    """So many good pictures (a few, linked), and so many of each kind of poison in between."""
    noise = random.Random(seed)
    folder.mkdir(parents=True)
    sources = []
    for number in range(8):
        image = Image.new("RGB", (16, 12))
        image.putdata([tuple(noise.randrange(256) for _ in range(3)) for _ in range(192)])
        sources.append(folder.parent / f"source-{number}.jpg")
        image.resize((128, 80 + number % 3)).save(sources[-1], quality=90)
    whole = sources[0].read_bytes()
    for number in range(good):
        os.link(sources[number % len(sources)], folder / f"{number:05}-good.jpg")
    for kind, count in poison.items():
        for _ in range(count):
            at = noise.randrange(good)
            path = folder / f"{at:05}-z-{kind}.jpg"
            while path.exists():
                at = noise.randrange(good)
                path = folder / f"{at:05}-z-{kind}.jpg"
            _poison(kind, path, whole)


def _poison(kind: str, path: Path, whole: bytes) -> None:
    heights = {"segfault": SEGFAULTS, "check": ABORTS, "eats": EATS, "loops": HANGS}
    if kind in heights:
        Image.new("RGB", (64, heights[kind]), (90, 90, 90)).save(path, "PNG")
    elif kind == "bomb":
        Image.new("1", (20_000, 16_000)).save(path, "PNG")
    elif kind == "blocks":
        os.mkfifo(path)  # opening it would wait for a writer who never comes
    else:
        path.write_bytes(
            {"truncated": whole[: len(whole) // 2], "empty": b"", "html": b"<html>404</html>"}[kind]
        )


@dataclass
class Storm:
    """What was killed, and how often the job had to be started."""

    starts: int = 0
    killed: Counter[str] = field(default_factory=Counter)
    status: int | None = None
    stderr: str = ""


def weather(
    command: Sequence[str],
    out: Path,
    kills: Sequence[tuple[int, str]],
    environment: Mapping[str, str],
    wait: Callable[[], None] = lambda: None,
    enter: Callable[[], None] | None = None,
) -> Storm:
    """Run the job to its end. When so many inputs are answered, kill: the worker, the zygote, the supervisor, or all of them."""
    storm = Storm()
    left = list(kills)
    until = time.monotonic() + SECONDS
    while True:
        storm.starts += 1
        again = [*command, "--resume"] if storm.starts > 1 else list(command)
        with open(out.parent / "stderr", "wb") as stderr:
            process = subprocess.Popen(
                again,
                env=dict(environment),
                stdout=subprocess.DEVNULL,
                stderr=stderr,
                preexec_fn=enter,
            )
        while process.poll() is None:
            assert time.monotonic() < until, f"it did not end; {left} kills are left"
            if left and answered(out) >= left[0][0] and (family := _family(process.pid)):
                wait()
                _strike(process.pid, family, left.pop(0)[1], storm)
            time.sleep(0.01)
        if process.returncode != -signal.SIGKILL:
            storm.status = process.returncode
            storm.stderr = (out.parent / "stderr").read_text(errors="replace")
            return storm


def answered(out: Path) -> int:
    """How many inputs the journal holds; it is read while it is written."""
    return sum(len(record["done"]) + len(record["quarantined"]) for record in records_in(out))


def _family(supervisor: int) -> tuple[int, int] | None:
    """The zygote and its worker, once both are there."""
    zygotes = _children(supervisor)
    workers = [child for zygote in zygotes for child in _children(zygote)]
    return (zygotes[0], workers[0]) if zygotes and workers else None


def _children(pid: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _strike(supervisor: int, family: tuple[int, int], whom: str, storm: Storm) -> None:
    zygote, worker = family
    chosen = {
        "worker": (worker,),
        "zygote": (zygote,),
        "supervisor": (supervisor,),
        "all": (worker, zygote, supervisor),
    }[whom]
    storm.killed[whom] += 1
    for pid in chosen:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass  # it died by itself a moment before


def records_in(out: Path) -> Iterator[Mapping[str, Any]]:
    """All that a job has kept: in its journal, or by leases."""
    if not (out / "parts").is_dir():
        return read_journal(str(out / "journal.jsonl"))
    parts = Parts(FolderStorage(str(out)))
    parts.look()
    return parts.records()


def reckoning(out: Path) -> tuple[Counter[str], dict[str, str]]:
    """Every input that was answered and how often, and the cause of each that is in quarantine."""
    names: Counter[str] = Counter()
    causes: dict[str, str] = {}
    for record in records_in(out):
        names.update(Path(name).name for name, _ in record["done"])
        for one in record["quarantined"]:
            names[Path(one["input"]).name] += 1
            causes[Path(one["input"]).name] = one["cause"]
    return names, causes


def wrong(pictures: Path, out: Path) -> list[str]:
    """All that is not as it should be: nothing, if every good one is there once and every bad one is named."""
    names, causes = reckoning(out)
    found = []
    for path in sorted(pictures.iterdir()):
        kind = path.stem.rpartition("-z-")[2] if "-z-" in path.name else ""
        if names[path.name] != 1:
            found.append(f"{path.name} was answered {names[path.name]} times")
        elif kind and causes.get(path.name) not in CAUSES[kind]:
            found.append(f"{path.name} was told as {causes.get(path.name)}")
        elif not kind and path.name in causes:
            found.append(f"{path.name} is good, and was told as {causes[path.name]}")
    listed = [json.loads(line) for line in (out / "quarantine.jsonl").read_text().splitlines()]
    if sorted(Path(one["input"]).name for one in listed) != sorted(causes):
        found.append("quarantine.jsonl is not what the journal says")
    return found


def detect_command(model: Path, pictures: Path, out: Path, *options: str) -> list[str]:
    return [sys.executable, "-m", "outlive", "detect", str(model), str(pictures), "--out", str(out), *options]  # fmt: skip
