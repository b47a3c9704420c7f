"""A run folder on disk, of a run that has ended, is running, or was cut off: read back as plain data."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from outlive.inside.machine.host import Host
from outlive.inside.notes import kinds
from outlive.inside.notes.masking import secrets_here
from outlive.recorder.sampler import process_stat
from outlive.recorder.store import run_folders
from outlive.recorder.store.entries import entries
from outlive.recorder.store.seal import seal_leftovers
from outlive.recorder.store.users_files import is_foreign


def read_run(folder: str) -> tuple[list[dict[str, Any]], str | None]:
    """What is on the disk of a run, and where the rings of its processes are; an empty or torn record is not an error.

    Whoever reads a record also masks what nobody could mask when the run ended.
    """
    try:
        payloads = entries(os.path.join(folder, run_folders.LOG_NAME))
    except OSError:
        payloads = []
    here = os.path.join(folder, run_folders.RINGS_NAME)
    rings = here if os.path.isdir(here) else None
    if is_foreign():  # what lies elsewhere on this machine is not the sender's
        return payloads, rings
    rings = rings or run_folders.shared_rings(start_of(payloads).get("rings"))
    if not is_running(start_of(payloads)):
        seal_leftovers(rings, secrets_here())
    return payloads, rings


def start_of(payloads: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """What was written when the program had started."""
    return next((payload for payload in payloads if payload.get("kind") == kinds.RUN), {})


def notebook_of(payloads: Sequence[dict[str, Any]]) -> str:
    """The path of the notebook whose kernel was recorded; nothing for another program, or when nobody told the kernel."""
    return str(_kernel(payloads).get("notebook") or "")


def connection_of(payloads: Sequence[dict[str, Any]]) -> str:
    """The short name of the connection file of the kernel that was recorded."""
    return str(_kernel(payloads).get("connection") or "")


def _kernel(payloads: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return next((payload for payload in payloads if payload.get("kind") == kinds.KERNEL), {})


def is_running(start: dict[str, Any]) -> bool:
    """Whether the process that supervises a run is there: the same one, not another with its number."""
    supervisor = start.get("supervisor")
    if not isinstance(supervisor, int) or is_foreign():
        return False
    found = process_stat(Host(), supervisor)
    return found is not None and found.started == start.get("supervisor_started")
