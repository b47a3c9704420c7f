"""Which revision of their code a person runs: read from git's own files, without git."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from outlive.inside.machine.host import Host

#: Nobody nests a project deeper.
MOST_FOLDERS = 30
SHORTEST = 40


def revision_of(host: Host, folder: str) -> str:
    """The commit that is checked out around a folder, or nothing. Whether files have changed since, git alone could say."""
    git = _git_folder(host, folder)
    head = (host.read(os.path.join(git, "HEAD"), 512) or "").strip() if git else ""
    if not head.startswith("ref: "):
        return _hash(head)
    name = head.removeprefix("ref: ").strip()
    common = (host.read(os.path.join(git, "commondir"), 4096) or "").strip()
    shared = os.path.normpath(os.path.join(git, common)) if common else git
    return _hash((host.read(os.path.join(shared, name), 512) or "").strip()) or _packed(
        host.read(os.path.join(shared, "packed-refs"), 4_000_000) or "", name
    )


def _git_folder(host: Host, folder: str) -> str:
    for _ in range(MOST_FOLDERS):
        path = os.path.join(folder, ".git")
        if host.read(os.path.join(path, "HEAD"), 512) is not None:
            return path
        elsewhere = host.read(path, 4096) or ""  # of a worktree: a file that says where
        if elsewhere.startswith("gitdir: "):
            return os.path.normpath(
                os.path.join(folder, elsewhere.removeprefix("gitdir: ").strip())
            )
        above = os.path.dirname(folder)
        if above == folder:
            return ""
        folder = above
    return ""


def _packed(text: str, name: str) -> str:
    for line in text.splitlines():
        found, _, reference = line.partition(" ")
        if reference == name:
            return _hash(found)
    return ""


def _hash(text: str) -> str:
    hexadecimal = len(text) >= SHORTEST and all(letter in "0123456789abcdef" for letter in text)
    return text if hexadecimal else ""
