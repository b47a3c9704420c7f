"""Whether anything happened in a run that a cause could speak of."""

from __future__ import annotations

import os

from outlive.inside.notes import kinds
from outlive.inside.notes.format import read_frames

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any


def eventful_notes(rings: str | None) -> bool:
    """Whether a process of the run wrote down anything but its beginning and its end."""
    if rings is None:
        return False
    with os.scandir(rings) as entries:
        paths = [(entry.name, entry.path) for entry in entries]
    return any(_is_eventful(name, path) for name, path in paths)


def _is_eventful(name: str, path: str) -> bool:
    try:
        if name.endswith(".fault"):
            return os.lstat(path).st_size > 0
        frames = read_frames(path) if name.endswith(".ring") else ()
    except FileNotFoundError:
        return False  # of a worker that ended well a moment after the program, and took it away
    for frame in frames:
        note = frame.payload
        well = note.get("kind") == kinds.QUIT and not note.get("code") and not _cut_off(note)
        if note.get("kind") not in (kinds.STACK, kinds.PROCESS, *kinds.ORDINARY) and not well:
            return True
    return False


def _cut_off(note: dict[str, Any]) -> bool:
    """An end by ``os._exit`` that may have lost something."""
    lost = note.get("lost") or note.get("threads") or note.get("error")
    return note.get("call") == "os._exit" and bool(lost)
