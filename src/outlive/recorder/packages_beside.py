"""What is installed beside the program, by the names of folders: read from outside, while it runs or after its end.

One listing a folder: no file is opened, no interpreter is asked.
"""

from __future__ import annotations

import glob
import os
import re

from outlive.inside.notes import kinds
from outlive.inside.notes.format import read_frames

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

DISTRIBUTION = re.compile(r"^(.+)-([^-]+)\.(?:dist|egg)-info$")
MOST_PACKAGES = 600


def distributions(libraries: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Name, version and folder of what is installed; of two with one name, the one that is imported comes first."""
    left = MOST_PACKAGES
    for library in libraries:
        try:
            names = os.listdir(library)
        except (OSError, ValueError):
            continue
        for name in names:
            found = DISTRIBUTION.match(name)
            if found and left > 0:
                left -= 1
                yield found[1].lower().replace("_", "-"), found[2], os.path.join(library, name)


def packages_beside(rings: str | None, pid: int) -> dict[str, str]:
    """Name and version of what the program's Python can import; nothing when there is none."""
    found: dict[str, str] = {}
    for name, version, _ in distributions(_libraries(rings, pid)):
        found.setdefault(name, version)
    return found


def _libraries(rings: str | None, pid: int) -> list[str]:
    """The library folders that the program's own process told, else the first process that did."""
    paths = glob.glob(os.path.join(glob.escape(rings), "*.ring")) if rings else []
    for path in sorted(paths, key=lambda path: not os.path.basename(path).startswith(f"{pid}-")):
        for note in _introductions(path):
            libraries = note.get("libraries")
            if isinstance(libraries, list):
                return [str(folder) for folder in libraries]
    return []


def _introductions(path: str) -> list[dict[str, Any]]:
    try:
        frames = read_frames(path)
    except OSError:
        return []
    return [frame.payload for frame in frames if frame.payload.get("kind") == kinds.PROCESS]
