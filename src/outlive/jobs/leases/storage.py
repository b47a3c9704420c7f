"""Where the results of leases lie: a folder that all machines see, or an object store. What is written is there whole, or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from typing import Protocol

from outlive.data.atomic_file import UNFINISHED, new_beside, replacing
from outlive.jobs.results_journal import replace_file, sync_folder, writing


class Storage(Protocol):
    """The few things that a job of many machines needs of a place."""

    address: str

    def read(self, name: str) -> bytes | None:
        """Give what was written under this name; ``None`` where nothing was."""

    def put_once(self, name: str, data: bytes) -> bool:
        """Write, unless somebody else has: then ``False``, and nothing is changed."""

    def put(self, name: str, data: bytes) -> None:
        """Write, over what was there."""

    def put_path(self, name: str, path: str) -> None:
        """Write a file of this machine, over what was there."""

    def remove(self, name: str) -> None:
        """Remove what was written under this name, if anything was."""

    def names(self, folder: str) -> Iterator[str]:
        """List what there is in a folder, in any order, as it is read."""

    def sweep(self, folder: str) -> None:
        """Remove what writers that were killed left unfinished. Only for when nobody writes any more."""


class FolderStorage:
    """A folder of a file system."""

    def __init__(self, address: str) -> None:
        self.address = address

    def read(self, name: str) -> bytes | None:
        """Give what was written under this name; ``None`` where nothing was."""
        try:
            with open(self._path(name), "rb") as file:
                return file.read()
        except (FileNotFoundError, NotADirectoryError):
            return None

    def put_once(self, name: str, data: bytes) -> bool:
        """Write beside, then give it its name by a hard link: that fails where the name is taken. Where there are no links, by a rename."""
        path = self._path(name)
        folder = os.path.dirname(path)
        with writing(self.address):
            os.makedirs(folder, exist_ok=True)
            beside = new_beside(path)
            try:
                with open(beside, "wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                won = _named(beside, path)
            finally:
                with suppress(FileNotFoundError):
                    os.unlink(beside)
            sync_folder(folder)
        return won

    def put(self, name: str, data: bytes) -> None:
        """Write, over what was there."""
        path = self._path(name)
        with writing(self.address):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            replace_file(path, data)

    def put_path(self, name: str, path: str) -> None:
        """Write a file of this machine, over what was there."""
        with writing(self.address), replacing(self._path(name)) as beside:
            shutil.copyfile(path, beside)

    def remove(self, name: str) -> None:
        """Remove what was written under this name, if anything was."""
        with writing(self.address), suppress(FileNotFoundError):
            os.unlink(self._path(name))

    def names(self, folder: str) -> Iterator[str]:
        """List what there is in a folder, in any order, as it is read."""
        try:
            with os.scandir(self._path(folder)) as found:
                for one in found:
                    if not one.name.endswith(UNFINISHED):
                        yield one.name
        except FileNotFoundError:
            return

    def sweep(self, folder: str) -> None:
        """Remove what writers that were killed left unfinished. Only for when nobody writes any more."""
        path = self._path(folder)
        with suppress(OSError):
            for name in os.listdir(path):
                if name.endswith(UNFINISHED):
                    os.unlink(os.path.join(path, name))

    def _path(self, name: str) -> str:
        return os.path.join(self.address, name)


def _named(beside: str, path: str) -> bool:
    try:
        os.link(beside, path)
    except FileExistsError:
        return False
    except OSError:  # no hard links here (some network and FUSE file systems): the last one wins, and both are whole
        if os.path.lexists(path):
            return False
        os.rename(beside, path)
    return True
