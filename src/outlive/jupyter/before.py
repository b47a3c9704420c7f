"""A note from a kernel that died while no cell ran to the one that is started in its place."""

from __future__ import annotations

import hashlib
import os

from outlive.record import runs

#: In the home of all records: one link a connection file, which stays the same when a kernel is restarted.
FOLDER_NAME = "kernels"
NOTE_NAME = "note.txt"

#: Known to ``record/inside/cells.py``, which prints the note before the first cell.
BEFORE_NAME = "before"

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Sequence


def leave_note(connection_file: str, folder: str, lines: Sequence[str]) -> None:
    """For the next kernel with this connection file."""
    note = os.path.join(folder, NOTE_NAME)
    first = "The kernel before this one died while no cell was running.\n"
    runs.write_private(note, first + "".join(f"{line}\n" for line in lines[1:]))
    os.makedirs(os.path.join(runs.home(), FOLDER_NAME), mode=0o700, exist_ok=True)
    runs.write_link(_link(connection_file), note)


def hand_over_note(connection_file: str, rings: str) -> None:
    """If one was left: to the new kernel, once."""
    link = _link(connection_file)
    try:
        note = os.readlink(link)
        os.unlink(link)
    except OSError:
        return
    if os.path.exists(note):
        runs.write_link(os.path.join(rings, BEFORE_NAME), note)


def _link(connection_file: str) -> str:
    name = hashlib.sha256(os.path.abspath(connection_file).encode()).hexdigest()[:16]
    return os.path.join(runs.home(), FOLDER_NAME, name)
