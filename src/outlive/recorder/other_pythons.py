"""Does another Python of the user's have the module that the program did not find?

A tool that was installed apart (pipx, uv tool) runs a script with its own Python, in which the packages of
the user's environment are not. Looked up on the disk; no Python is started for it.
"""

from __future__ import annotations

import glob
import os
import sys

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MOST_FOLDERS = 50
SITES = ("lib/python3*/site-packages", "lib/python3/dist-packages")


def python_with(module: str, prefix: str, folder: str, variables: Mapping[str, str]) -> str:
    """Find the user's Python that has this module, if the program ran with Outlive's own (``prefix``) instead; else nothing."""
    if not module.isidentifier() or not _same(prefix, sys.prefix):
        return ""
    for python in _pythons(folder, variables):
        other = os.path.dirname(os.path.dirname(python))
        if not _same(other, prefix) and os.access(python, os.X_OK) and _has(other, module):
            return python
    return ""


def _pythons(folder: str, variables: Mapping[str, str]) -> Iterator[str]:
    """Name what the user may have meant: the active environment, the one of the project, what the shell finds."""
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        if variables.get(name):
            yield os.path.join(variables[name], "bin", "python")
    yield os.path.join(folder, ".venv", "bin", "python")
    for place in variables.get("PATH", "").split(os.pathsep)[:MOST_FOLDERS]:
        if os.path.isabs(place):
            yield from (os.path.join(place, name) for name in ("python", "python3"))


def _has(prefix: str, module: str) -> bool:
    return any(
        os.path.isdir(os.path.join(site, module)) or os.path.isfile(os.path.join(site, f"{module}.py"))
        for pattern in SITES
        for site in glob.glob(os.path.join(glob.escape(prefix), pattern))
    )  # fmt: skip


def _same(one: str, other: str) -> bool:
    return os.path.realpath(one) == os.path.realpath(other)
