"""The records of notebook kernels that a program started: one folder each, within the program's own."""

from __future__ import annotations

import os
from typing import Any

from outlive.coroner.readings.notebook import notebook_in
from outlive.recorder.store import run_folders
from outlive.recorder.store.entries import entries
from outlive.recorder.store.read_run import start_of


def kernel_folders(rings: str | None) -> list[str]:
    """Find the records of a program's kernels, the oldest first."""
    try:
        names = os.listdir(rings) if rings else []
    except OSError:
        return []
    folders = [
        os.path.join(str(rings), name)
        for name in names
        if name.startswith(run_folders.KERNEL_PREFIX)
    ]
    return sorted(folders, key=_began)


def payloads_of(folder: str) -> list[dict[str, Any]]:
    """Read the supervisor's log of one kernel; nothing where it cannot be read."""
    try:
        return entries(os.path.join(folder, run_folders.LOG_NAME))
    except OSError:
        return []


def cells_in(rings: str | None) -> dict[str, list[str]]:
    """Give the text of the cells that ran in this run, by their names."""
    places = [
        rings,
        *(os.path.join(folder, run_folders.RINGS_NAME) for folder in kernel_folders(rings)),
    ]
    return {
        f"In [{request.count}]": request.code.split("\n")
        for place in places
        for request in notebook_in(place).requests
        if not request.silent
    }


def _began(folder: str) -> float:
    return float(start_of(payloads_of(folder)).get("time") or 0.0)
