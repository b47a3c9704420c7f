"""A run folder on disk, of a run that has ended, is running, or was cut off: read back as plain data."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import Any

from outlive.inside.machine.host import Host
from outlive.inside.notes import kinds
from outlive.inside.notes.masking import secrets_here
from outlive.recorder.job_membership import here
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
    start = start_of(payloads)
    if not is_running(start) and not may_run_elsewhere(folder, start, PATIENCE_SECONDS):
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


#: Before this time has passed without a word, nothing of a run of another host is masked or deleted: a program that is stopped writes nothing.
PATIENCE_SECONDS = 3600.0
#: A running supervisor writes a sample every half second at first, and with time ever more rarely: after a week, every nine minutes.
LEAST_SILENCE_SECONDS = 30.0
SILENCE_PER_SECOND = 0.01


def may_run_elsewhere(folder: str, start: dict[str, Any], patience: float = 0.0) -> bool:
    """Whether a run of another host or container may still go on: nobody can ask its supervisor from here, but it has written lately."""
    if not is_elsewhere(start) or os.path.exists(os.path.join(folder, run_folders.SEALED_NAME)):
        return False
    try:
        written = os.stat(os.path.join(folder, run_folders.LOG_NAME)).st_mtime
    except OSError:
        return False
    lasted = max(0.0, written - float(start.get("time") or written))
    usual = max(LEAST_SILENCE_SECONDS, lasted * SILENCE_PER_SECOND)
    return time.time() - written < max(patience, usual)


def is_elsewhere(start: dict[str, Any]) -> bool:
    """Whether a run was begun on another host, or in another container: its process numbers say nothing here.

    A machine that was started again since is the same one: nothing that ran before goes on.
    """
    host, mine = start.get("host") or {}, here()
    if not host.get("name") or host.get("boot") == mine["boot"]:
        return bool(host.get("pids")) and host["pids"] != mine["pids"]
    return bool(host["name"] != mine["name"])


def is_running(start: dict[str, Any]) -> bool:
    """Whether the process that supervises a run is there: the same one, not another with its number."""
    supervisor = start.get("supervisor")
    if not isinstance(supervisor, int) or is_foreign() or is_elsewhere(start):
        return False
    found = process_stat(Host(), supervisor)
    return found is not None and found.started == start.get("supervisor_started")
