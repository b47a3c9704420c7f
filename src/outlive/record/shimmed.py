"""What the shim kept, as plain data with secrets masked: the only form in which it stays on the disk after a run."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from typing import Any

from outlive.record import runs
from outlive.record.format import encode, read_frames
from outlive.record.lineage import user_name
from outlive.record.masking import mask_text, split_arguments
from outlive.record.native import CrashWords, NativeReading, SignalSeen, read_native

#: The kernel's codes for kill, sigqueue and tgkill.
SENT = (0, -1, -6)

#: Reading a crash in TensorFlow takes 0.15 s; when a whole pool of workers crashes, the first few tell enough.
MOST_CRASHED = 8

SEALED = ".shim"
LIVE = ".native"


def read_all(rings: str | None, secrets: Sequence[str] = ()) -> list[dict[str, Any]]:
    """The readings of all processes, those still in the shim's own form included."""
    if rings is None:
        return []
    found = []
    for path in sorted(glob.glob(os.path.join(glob.escape(rings), f"*{SEALED}"))):
        try:
            found += [frame.payload for frame in read_frames(path)]
        except OSError:
            continue
    crashed = 0
    for path in sorted(glob.glob(os.path.join(glob.escape(rings), f"*{LIVE}"))):
        try:
            with open(path, "rb") as file:
                reading = read_native(file.read())
        except (OSError, ValueError):
            continue
        crashed += bool(reading.crashes)
        found.append(plain(reading, secrets, sites=crashed <= MOST_CRASHED))
    return found


def seal(path: str, secrets: Sequence[str], crashed: int = 0) -> tuple[str, int]:
    """Put a masked copy in the place of the shim's file, which holds stderr and memory in clear.

    Returns the new path, and how many of the processes sealed so far had crashed.
    """
    target = path.removesuffix(LIVE) + SEALED
    try:
        with open(path, "rb") as file:
            reading = read_native(file.read())
        crashed += bool(reading.crashes)
        kept = plain(reading, secrets, sites=crashed <= MOST_CRASHED)
        runs.write_private(target, encode(1, kept))
    except ValueError:
        pass  # never written to: nothing to keep
    os.unlink(path)
    return target, crashed


def plain(reading: NativeReading, secrets: Sequence[str], sites: bool = True) -> dict[str, Any]:
    """One process: its stderr, its abort message, its signals and their senders, its crash (where that is wanted)."""
    crashes = {crash.sequence: crash for crash in reading.crashes} if sites else {}
    return {
        "kind": "shim",
        "pid": reading.pid,
        "stderr": mask_text(reading.stderr_tail.decode("utf-8", "replace"), secrets),
        "abort": mask_text(reading.abort_message, secrets),
        "last_words": mask_text(reading.last_words, secrets),
        "signals": [
            {
                "signal": seen.signo,
                "code": seen.code,
                "sender": seen.sender_pid if seen.code in SENT else None,
                "uid": seen.sender_uid,
                "user": user_name(seen.sender_uid) if seen.code in SENT else "",
                "command": " ".join(split_arguments(seen.sender_command.split())[0]),
                "ancestors": [ancestor.name for ancestor in seen.ancestors],
                "time": seen.realtime_ns / 1e9,
                "address": seen.fault_address,
                "thread": mask_text(seen.thread, secrets),
                "site": _site(seen, crashes.get(seen.sequence)),
            }
            for seen in reading.signals
        ],
    }


def _site(seen: SignalSeen, words: CrashWords | None) -> dict[str, Any] | None:
    """Where a fatal signal struck; a crash that cannot be read costs only this."""
    if words is None:
        return None
    from outlive.record.postmortem.site import site_of

    try:
        return site_of(seen, words)
    except Exception as error:
        return {"unread": f"{type(error).__name__}: {error}"}
