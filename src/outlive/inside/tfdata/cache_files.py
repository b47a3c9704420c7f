"""Where a cache goes that does not fit the memory: files of ours on a disk with room, removed when the program ends."""

from __future__ import annotations

import os

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Dict, List, Optional

#: File systems that lie in memory: a cache there would save nothing.
IN_MEMORY = ("tmpfs", "ramfs", "hugetlbfs", "devtmpfs")

PREFIX = "outlive-cache-"

#: In the folder: where the program that made it has its number. Without it a folder is not ours.
MARK_NAME = "made-by-outlive"
CACHE_NAME = "cache"
UNKNOWN = "unknown"

#: Of what is free on the disk, the most that a cache may take.
SHARE = 0.8


class Spill:
    """A folder of this process for caches. Made when the first cache needs it."""

    def __init__(self, candidates: List[str]) -> None:
        self._candidates = candidates
        self._folder: Optional[str] = None
        self._count = 0

    def room(self) -> int:
        """Count the bytes that a cache on disk may take; 0 without a disk."""
        place = self._place()
        if place is None:
            return 0
        told = os.statvfs(place)
        return int(told.f_bavail * told.f_frsize * SHARE)

    def new_file(self) -> str:
        """A name for a cache that nobody has used."""
        if self._folder is None:
            import atexit
            import tempfile

            place = self._place() or tempfile.gettempdir()
            remove_left_behind(place)
            self._folder = tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-", dir=place)
            os.symlink(
                where_processes_are_counted() or UNKNOWN, os.path.join(self._folder, MARK_NAME)
            )
            atexit.register(self._remove, os.getpid())
        self._count += 1
        return os.path.join(self._folder, f"{CACHE_NAME}{self._count}")

    def owns(self, file: str) -> bool:
        """Whether a cache was sent there by us, and not by the program."""
        return self._folder is not None and os.path.dirname(file) == self._folder

    def _remove(self, owner: int) -> None:
        if self._folder is not None and os.getpid() == owner:  # not a child that was forked
            remove_cache(self._folder)

    def _place(self) -> Optional[str]:
        kinds = file_systems()
        for folder in self._candidates:
            if os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK):
                point = mount_of(os.path.realpath(folder), kinds)
                if kinds.get(point, "") not in IN_MEMORY:
                    return folder
        return None


def remove_left_behind(place: str) -> None:
    """Remove the caches of programs that were killed: of this user's, with our mark, whose process is known to be gone."""
    here = where_processes_are_counted()
    for entry in os.scandir(place):
        pid = entry.name[len(PREFIX) :].partition("-")[0]
        if not entry.name.startswith(PREFIX) or not pid.isdigit() or os.path.exists(f"/proc/{pid}"):
            continue
        mine = entry.is_dir(follow_symlinks=False) and entry.stat().st_uid == os.getuid()
        if mine and here and mark_of(entry.path) == here:
            remove_cache(entry.path)


def remove_cache(folder: str) -> None:
    """Remove the files of caches and our mark from a folder, and the folder if nothing else is in it."""
    try:
        for entry in os.scandir(folder):
            if entry.name.startswith(CACHE_NAME) and entry.is_file(follow_symlinks=False):
                os.unlink(entry.path)
        os.unlink(os.path.join(folder, MARK_NAME))
        os.rmdir(folder)
    except OSError:
        pass  # a reader of the program's still writes there


def mark_of(folder: str) -> str:
    """Where the processes of the program that made a folder are counted; nothing in a folder that we did not make."""
    try:
        return os.readlink(os.path.join(folder, MARK_NAME))
    except OSError:
        return ""


def where_processes_are_counted() -> str:
    """Name this machine, since it was started, and this container: a number of a process means nothing elsewhere.

    A folder may be shared with other machines and containers, whose processes are not in this ``/proc``.
    """
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return f"{file.read().strip()} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return ""


def is_complete(file: str) -> bool:
    """Whether a cache was written to its end."""
    return os.path.exists(f"{file}.index")


def file_systems() -> Dict[str, str]:
    """Read which kind of file system is mounted where."""
    try:
        with open("/proc/self/mounts", encoding="utf-8", errors="replace") as listing:
            rows = [line.split() for line in listing]
    except OSError:
        return {}
    return {row[1]: row[2] for row in rows if len(row) > 2}


def mount_of(path: str, kinds: Dict[str, str]) -> str:
    """The mount that a path lies on."""
    while path not in kinds and path != "/":
        path = os.path.dirname(path)
    return path
