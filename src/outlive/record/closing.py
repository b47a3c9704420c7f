"""After the death: move the rings home, and drop what holds nothing or holds text that was not masked."""

from __future__ import annotations

import os

from outlive.record import runs

#: A program that starts thousands of Python processes must not leave thousands of files.
MAX_RINGS = 64


def close_rings(folder: str, rings: str | None) -> None:
    """Tidy the files that the processes left; what is kept lies in the run's own folder."""
    if rings is None:
        return
    kept = sorted(_useful(rings), key=lambda path: os.stat(path).st_mtime)
    for path in kept[:-MAX_RINGS]:
        os.unlink(path)
    home = os.path.join(folder, runs.RINGS_NAME)
    if os.path.abspath(rings) == os.path.abspath(home):
        return
    os.makedirs(home, mode=0o700, exist_ok=True)
    for path in kept[-MAX_RINGS:]:
        with open(path, "rb") as source:
            runs.write_private(os.path.join(home, os.path.basename(path)), source.read())
    runs.remove(rings)


def _useful(rings: str) -> list[str]:
    """Files with something in them. The shim's file holds stderr in clear: its text is in the record, masked."""
    found = []
    with os.scandir(rings) as entries:
        for entry in entries:
            empty = entry.stat(follow_symlinks=False).st_size == 0
            if empty and not _in_use(entry.name):
                os.unlink(entry.path)
            elif not empty:
                found.append(entry.path)
    return found


def _in_use(name: str) -> bool:
    """A process that outlives the program may still write its last words."""
    number = name.partition("-")[0]
    return number.isdigit() and os.path.exists(f"/proc/{number}")
