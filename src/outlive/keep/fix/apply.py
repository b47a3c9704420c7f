"""Write a patched file in the place of the user's: whole or not at all, with the old one kept beside it, and nothing uncommitted lost."""

from __future__ import annotations

import os
import shutil

from outlive.data.atomic_file import replacing
from outlive.errors import OutliveError, UsageError
from outlive.recorder.bounded_command import ask

BACKUP = ".before-fix"
SECONDS_FOR_GIT = 10.0


def apply(path: str, before: str, after: str, *, force: bool) -> str:
    """Write the patched text, and give the name of the backup."""
    real = os.path.realpath(path)
    if _read(real) != before:
        raise UsageError(f"{path} was changed in the meantime.", "Run outlive fix again.")
    if not force and _has_uncommitted_changes(real):
        raise UsageError(
            f"{path} has changes that are not committed.",
            "Commit or stash them first, or add --force (a backup is kept either way).",
        )
    backup = _free_name(real)
    try:
        shutil.copy2(real, backup)
        with replacing(real, mode=0o600) as name:
            with open(name, "w", encoding="utf-8", newline="") as file:
                file.write(after)
            os.chmod(name, os.stat(real).st_mode & 0o7777)
    except OSError as error:
        raise OutliveError(
            f"{path} could not be written: {error.strerror}.", "The file was not changed."
        ) from error
    return backup


def _read(path: str) -> str:
    with open(path, encoding="utf-8", newline="") as file:
        return file.read()


def _free_name(path: str) -> str:
    for number in range(1, 1000):
        name = f"{path}{BACKUP}{'' if number == 1 else f'-{number}'}"
        if not os.path.lexists(name):
            return name
    raise UsageError(f"There are too many backups of {path}.", f"Remove some: {path}{BACKUP}…")


def _has_uncommitted_changes(path: str) -> bool:
    """Whether git knows the file, and it differs from what was committed. Without git, or outside a tree, nobody can say."""
    folder, name = os.path.split(path)
    try:
        said = ask(["git", "-C", folder, "status", "--porcelain", "--", name], SECONDS_FOR_GIT)
    except OSError:
        return False
    return said.status == 0 and any(not line.startswith("??") for line in said.out.splitlines())
