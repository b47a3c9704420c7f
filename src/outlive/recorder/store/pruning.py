"""Which runs may be deleted, by age, number and size; never one that is still running. They are chosen before anything is deleted."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence

from outlive.model.quick_dataclass import dataclass
from outlive.recorder.store import run_folders
from outlive.recorder.store.read_run import (
    PATIENCE_SECONDS,
    is_running,
    may_run_elsewhere,
    read_run,
    start_of,
)
from outlive.recorder.store.removal import is_removable
from outlive.recorder.store.seal import in_use


@dataclass(frozen=True, slots=True)
class Kept:
    """A run on the disk."""

    name: str
    folder: str
    began: float | None
    bytes: int
    stays: bool  #: it is still running, or somebody else has put a file into its folder


def all_kept() -> list[Kept]:
    """Every run, the newest first."""
    return [_kept(name) for name in reversed(run_folders.list_runs())]


def _kept(name: str) -> Kept:
    folder = run_folders.folder_of(name)
    payloads, rings = read_run(folder)
    start = start_of(payloads)
    began = start.get("time")
    return Kept(
        name,
        folder,
        float(began) if isinstance(began, int | float) else None,
        run_folders.folder_bytes(folder),
        goes_on(folder, start, rings) or not is_removable(folder),
    )


def goes_on(folder: str, start: dict[str, object], rings: str | None) -> bool:
    """Whether its supervisor lives, or, where that was ended, a process that writes into it."""
    if os.path.exists(os.path.join(folder, run_folders.SEALED_NAME)):
        return False
    if is_running(start) or may_run_elsewhere(folder, start, PATIENCE_SECONDS):
        return True
    paths = glob.glob(os.path.join(glob.escape(rings), "*.ring")) if rings else []
    return any(map(in_use, paths))


def to_go(
    kept: Sequence[Kept], *, before: float | None, most: int | None, most_bytes: int | None
) -> list[Kept]:
    """List the runs that began before a moment, or that exceed a number or a total size; the newest are kept longest."""
    chosen = []
    count = total = 0
    for run in kept:
        old = before is not None and run.began is not None and run.began < before
        too_many = most is not None and count >= most
        too_large = most_bytes is not None and total + run.bytes > most_bytes
        if not run.stays and (old or too_many or too_large):
            chosen.append(run)
        else:
            count += 1
            total += run.bytes
    return chosen
