"""Which files are looked at: what is named, and the scripts and notebooks below a folder that is named."""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Iterable, Iterator

from outlive.errors import UsageError, did_you_mean_path
from outlive.inside.start.code_owner import PACKAGE_FOLDERS

ENDINGS = (".py", ".ipynb")

#: Folders of tools and of things that were installed or built.
SKIPPED = frozenset(
    {
        "__pycache__",
        "node_modules",
        *PACKAGE_FOLDERS,
        "build",
        "dist",
        "venv",
        "__pypackages__",
    }
)


def files_below(paths: Iterable[str], exclude: Iterable[str] = ()) -> Iterator[str]:
    """Every file once. A file that is named is taken whatever its name is."""
    patterns = tuple(exclude)
    seen: set[str] = set()
    for path in paths:
        if not os.path.exists(path):
            hint = did_you_mean_path(path) or "For example:  outlive lint src/ train.py"
            raise UsageError(f"There is no file or folder {path!r}.", hint)
        if not (os.path.isdir(path) or os.path.isfile(path)):
            raise UsageError(
                f"{path!r} is neither a file nor a folder.", "Pipes are not supported."
            )
        found = _walk(path, patterns) if os.path.isdir(path) else (path,)
        for file in found:
            real = os.path.realpath(file)
            if real not in seen:
                seen.add(real)
                yield file


def _walk(folder: str, patterns: tuple[str, ...]) -> Iterator[str]:
    for here, folders, names in os.walk(folder):
        folders[:] = sorted(
            name
            for name in folders
            if not _is_skipped(here, name) and not _excluded(here, name, patterns)
        )
        for name in sorted(names):
            path = os.path.normpath(os.path.join(here, name))
            wanted = name.endswith(ENDINGS) and not _excluded(here, name, patterns)
            if wanted and os.path.isfile(path):  # a pipe of this name would be waited for
                yield path


def _is_skipped(here: str, name: str) -> bool:
    in_environment = os.path.exists(os.path.join(here, name, "pyvenv.cfg"))
    return name.startswith(".") or name in SKIPPED or in_environment


def _excluded(here: str, name: str, patterns: tuple[str, ...]) -> bool:
    """`tests`, `*_test.py`, `legacy/*`: against the name, and against the path and its ends."""
    path = os.path.normpath(os.path.join(here, name)).replace(os.sep, "/")
    return any(
        fnmatch.fnmatch(name, pattern)
        or fnmatch.fnmatch(path, pattern)
        or fnmatch.fnmatch(path, f"*/{pattern}")
        for pattern in patterns
    )
