"""The CPythons of this machine that the recorder must work in: 3.9 and later."""

from __future__ import annotations

import os
import sys
from pathlib import Path

FIRST, LAST = (3, 9), (3, 14)


def pythons() -> dict[str, str]:
    """Version -> interpreter: this one, those of pyenv, and those in $OUTLIVE_TEST_PYTHONS."""
    found = {}
    for path in sorted(Path.home().glob(".pyenv/versions/3.*/bin/python")):
        major, minor = path.parent.parent.name.split(".")[:2]
        if minor.isdigit() and FIRST <= (int(major), int(minor)) <= LAST:
            found[f"{major}.{minor}"] = str(path)
    for path_ in os.environ.get("OUTLIVE_TEST_PYTHONS", "").split(os.pathsep):
        if path_:
            found[Path(path_).name.removeprefix("python")] = path_
    found[f"{sys.version_info[0]}.{sys.version_info[1]}"] = sys.executable
    return found
