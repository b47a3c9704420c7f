"""Walk a folder of packages once, for all that is looked at in it."""

from __future__ import annotations

import os
import re

SHARED_OBJECT = re.compile(r"\.so(\.[\d.]+)?$")
GENERATED = "_pb2.py"


def files_of_interest(folder: str) -> list[str]:
    """Shared objects and generated code below a folder, relative to it."""
    found = []
    waiting = [folder]
    start = len(folder.rstrip("/")) + 1
    while waiting:
        try:
            entries = list(os.scandir(waiting.pop()))
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if entry.name != "__pycache__":
                    waiting.append(entry.path)
            elif (
                entry.name.endswith(GENERATED)
                or (".so" in entry.name and SHARED_OBJECT.search(entry.name))
            ) and entry.is_file():  # a pipe of that name would be waited for
                found.append(entry.path[start:])
    return sorted(found)
