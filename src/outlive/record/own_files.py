"""The program's own source files: what was run, what was seen on a stack, and what lies beside these and is imported by them."""

from __future__ import annotations

import ast
import os
from collections.abc import Sequence

from outlive.record.readings import Readings

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
        for name in _imports(readings.lines.read(file)):
            path = os.path.join(folder, *name.split("."))
            waiting += [
                one for one in (f"{path}.py", f"{path}/__init__.py") if _exists(readings, one)
            ]
    return found


def _exists(readings: Readings, file: str) -> bool:
    return os.path.isfile(os.path.join(str(readings.run.get("folder", "")), file))


def _imports(text: str) -> list[str]:
    found: dict[str, None] = {}
    for node in ast.walk(parsed(text)):
        if isinstance(node, ast.Import):
            found |= dict.fromkeys(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            names = [base, *(f"{base}.{alias.name}".strip(".") for alias in node.names)]
            found |= dict.fromkeys(name for name in names if name)
    return list(found)


def parsed(text: str) -> ast.AST:
    """The source code as a tree; of what is none, an empty one."""
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ast.Module([], [])
