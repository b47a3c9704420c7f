"""A note from a kernel that died while no cell ran to the one that is started in its place."""

from __future__ import annotations

import os

from outlive.inside.notes import links
from outlive.jupyter.connection import connection_mark
from outlive.recorder.store import run_folders

#: In the home of all records: one link a connection file, which stays the same when a kernel is restarted.
FOLDER_NAME = "kernels"

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Sequence


def leave_note(connection_file: str, folder: str, lines: Sequence[str]) -> None:
    """For the next kernel with this connection file."""
    note = os.path.join(folder, run_folders.NOTE_NAME)
    first = "The previous kernel died while idle; its variables are gone.\n"
    run_folders.write_private(note, first + "".join(f"{line}\n" for line in lines[1:]))
    run_folders.make_private_folder(os.path.join(run_folders.home(), FOLDER_NAME))
    run_folders.write_link(_link(connection_file), note)


def hand_over_note(connection_file: str, rings: str) -> None:
    """If one was left: to the new kernel, once."""
    link = _link(connection_file)
    try:
        note = os.readlink(link)
        os.unlink(link)
    except OSError:
        return
    if os.path.exists(note):
        run_folders.tell_inside(rings, links.BEFORE, note)


def _link(connection_file: str) -> str:
    return os.path.join(run_folders.home(), FOLDER_NAME, connection_mark(connection_file))
