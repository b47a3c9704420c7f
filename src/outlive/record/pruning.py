"""Which runs may go: by age, number and size; never one that still goes on. What goes is chosen before anything is touched."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from dataclasses import dataclass

from outlive.record import runs
from outlive.record.reading import is_running, read_run, start_of


@dataclass(frozen=True, slots=True)
class Kept:
    """A run on the disk."""

    name: str
    folder: str
    began: float | None
    bytes: int
    going_on: bool


def all_kept() -> list[Kept]:
    """Every run, the newest first."""
    return [_kept(name) for name in reversed(runs.list_runs())]


def _kept(name: str) -> Kept:
    folder = runs.folder_of(name)
    payloads, rings = read_run(folder)
    start = start_of(payloads)
    began = start.get("time")
    return Kept(
        name,
        folder,
        float(began) if isinstance(began, int | float) else None,
        runs.folder_bytes(folder),
        goes_on(folder, start, rings),
    )


def goes_on(folder: str, start: dict[str, object], rings: str | None) -> bool:
    """Whether its supervisor lives, or, where that was ended, a process that writes into it."""
    if os.path.exists(os.path.join(folder, runs.SEALED_NAME)):
        return False
    if is_running(start):
        return True
    paths = glob.glob(os.path.join(glob.escape(rings), "*.ring")) if rings else []
    numbers = {os.path.basename(path).partition("-")[0] for path in paths}
    return any(number.isdigit() and os.path.exists(f"/proc/{number}") for number in numbers)


def to_go(
    kept: Sequence[Kept], *, before: float | None, most: int | None, most_bytes: int | None
) -> list[Kept]:
    """Those that began before a moment, or are beyond so many or so large together; the newest stay longest."""
    chosen = []
    count = total = 0
    for run in kept:
        old = before is not None and run.began is not None and run.began < before
        too_many = most is not None and count >= most
        too_large = most_bytes is not None and total + run.bytes > most_bytes
        if not run.going_on and (old or too_many or too_large):
            chosen.append(run)
        else:
            count += 1
            total += run.bytes
    return chosen
