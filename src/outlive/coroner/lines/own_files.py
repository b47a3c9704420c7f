"""The program's own source files: what was run, what was seen on a stack, and what lies beside these and is imported by them."""

from __future__ import annotations

import os
from collections.abc import Sequence

from outlive.coroner.readings.readings import Readings
from outlive.recorder.store.users_files import exists
from outlive.source.lines import imported_modules

MOST_FILES = 60


def own_files(readings: Readings, main: str = "") -> list[str]:
    """The user's files that took part, or may have, the main one first."""
    named = [str(word) for word in readings.run.get("command", ()) if str(word).endswith(".py")]
    return _with_imports(readings, [main, *named, *_files_on(readings)])


def _files_on(readings: Readings) -> list[str]:
    """The user's files that were seen on a stack."""
    principal = readings.principal
    seen = dict.fromkeys(
        str(frame[0])
        for record in (principal.stacks if principal else ())
        for thread in record.get("threads", ())
        for frame in thread.get("frames", ())
        if len(frame) == 3 and readings.lines.is_own(str(frame[0]))
    )
    return list(seen)


def _with_imports(readings: Readings, files: Sequence[str]) -> list[str]:
    """These files, and those beside them that they import."""
    found: list[str] = []
    waiting = [file for file in files if file]
    while waiting and len(found) < MOST_FILES:
        file = waiting.pop(0)
        if file in found or not readings.lines.is_own(file):
            continue
        found.append(file)
        folder = os.path.dirname(file)
        for name in imported_modules(readings.lines.tree(file)):
            path = os.path.join(folder, *name.split("."))
            waiting += [
                one for one in (f"{path}.py", f"{path}/__init__.py") if _exists(readings, one)
            ]
    return found


def _exists(readings: Readings, file: str) -> bool:
    return exists(os.path.join(str(readings.run.get("folder", "")), file))
