"""Whether anything happened in a run that a cause could speak of."""

from __future__ import annotations

import os

from outlive.record.format import ORDINARY, read_frames

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any


def eventful_notes(rings: str | None) -> bool:
    """Whether a process of the run wrote down anything but its beginning and its end."""
    if rings is None:
        return False
    with os.scandir(rings) as entries:
        paths = [(e.name, e.path, e.stat(follow_symlinks=False).st_size) for e in entries]
    for name, path, length in paths:
        if name.endswith(".fault") and length:
            return True
        if name.endswith(".ring"):
            for frame in read_frames(path):
                note = frame.payload
                well = note.get("kind") == "quit" and not note.get("code") and not _cut_off(note)
                if note.get("kind") not in ("stack", "process", *ORDINARY) and not well:
                    return True
    return False


def _cut_off(note: dict[str, Any]) -> bool:
    """An end by ``os._exit`` that may have lost something."""
    lost = note.get("lost") or note.get("threads") or note.get("error")
    return note.get("call") == "os._exit" and bool(lost)
