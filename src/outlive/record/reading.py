"""A run folder on the disk, of a run that has ended, goes on, or was torn: read back as plain data."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from outlive.host import Host
from outlive.record import runs
from outlive.record.format import read_frames
from outlive.record.sampling import process_stat


def read_run(folder: str) -> tuple[list[dict[str, Any]], str | None]:
    """What is on the disk of a run, and where the rings of its processes are; an empty or torn record is no error."""
    try:
        payloads = [frame.payload for frame in read_frames(os.path.join(folder, runs.LOG_NAME))]
    except OSError:
        payloads = []
    here = os.path.join(folder, runs.RINGS_NAME)
    return payloads, here if os.path.isdir(here) else start_of(payloads).get("rings")


def start_of(payloads: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What was written when the program had started."""
    return next((payload for payload in payloads if payload.get("kind") == "run"), {})


def is_running(start: dict[str, Any]) -> bool:
    """Whether the process that supervises a run is there: the same one, not another with its number."""
    supervisor = start.get("supervisor")
    found = process_stat(Host(), supervisor) if isinstance(supervisor, int) else None
    return found is not None and found.started == start.get("supervisor_started")
