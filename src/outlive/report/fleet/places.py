"""Where the runs of a fleet lie: homes of Outlive below a folder of this machine, or below a bucket (`s3://…`, `gs://…`) as they were copied there.

Of a run only two files are read: the beginning of its log, which says who was recorded, and its verdict.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterator
from typing import Any, Protocol

from outlive.errors import OutliveError
from outlive.recorder.store import run_folders

#: So deep below a place lie the homes of hosts: ``place/team/host/runs``.
MOST_LEVELS = 4

#: The first entry of a log, and any verdict, is shorter.
MOST_BYTES = 1_000_000


class PlaceUnreadable(OutliveError):
    """A folder or a bucket that cannot be read."""


class Place(Protocol):
    """A folder, or a bucket, below which runs lie."""

    def runs(self) -> Iterator[str]:
        """List the folders of runs."""
        ...

    def read(self, path: str, most: int = MOST_BYTES) -> bytes | None:
        """Read the beginning of a file; nothing where there is none."""
        ...


def place_at(name: str) -> Place:
    """Find out what a place is: an address, or a folder."""
    return Bucket(name) if "://" in name else Folder(name)


class Folder:
    """A folder of this machine: a home, or one that holds homes."""

    def __init__(self, path: str) -> None:
        self.path = os.path.abspath(path)
        if not os.path.isdir(self.path):
            raise PlaceUnreadable(f"There is no folder {path!r}.", "Give a folder that holds what $OUTLIVE_HOME is on your hosts.")  # fmt: skip

    def runs(self) -> Iterator[str]:
        """List the folders of runs, wherever a home lies below."""
        yield from _runs_below(self.path, MOST_LEVELS)

    def read(self, path: str, most: int = MOST_BYTES) -> bytes | None:
        """Read the beginning of a regular file."""
        from outlive.recorder.store.entries import content_of

        try:
            return content_of(path, most)
        except OSError:
            return None


def _runs_below(folder: str, levels: int) -> Iterator[str]:
    """No folder of a run is entered, and no link is followed."""
    try:
        with os.scandir(folder) as entries:
            folders = [entry for entry in entries if entry.is_dir(follow_symlinks=False)]
    except OSError:
        return
    for entry in folders:
        if run_folders.is_run_name(entry.name):
            yield entry.path
        elif levels:
            yield from _runs_below(entry.path, levels - 1)


class Bucket:
    """A place with an address, by Arrow's file systems; the credentials are those of the environment."""

    def __init__(self, address: str) -> None:
        arrow_fs: Any = importlib.import_module("pyarrow.fs")
        self._selector = arrow_fs.FileSelector
        try:
            self._system, self._root = arrow_fs.FileSystem.from_uri(address)
        except Exception as error:  # Arrow has errors of many kinds
            raise PlaceUnreadable(f"{address} cannot be read: {error}.", "Known are s3://, gs:// and file://.") from error  # fmt: skip

    def runs(self) -> Iterator[str]:
        """List the folders that hold the log of a run: a bucket has no folders of its own."""
        try:
            found = self._system.get_file_info(self._selector(self._root, recursive=True))
        except OSError as error:
            raise PlaceUnreadable(f"{self._root} cannot be listed: {error}.", "Does it exist, and may you read it?") from error  # fmt: skip
        for entry in found:
            folder, _, name = entry.path.rpartition("/")
            if name == run_folders.LOG_NAME and run_folders.is_run_name(folder.rpartition("/")[2]):
                yield folder

    def read(self, path: str, most: int = MOST_BYTES) -> bytes | None:
        """Read the beginning of an object."""
        try:
            with self._system.open_input_stream(path) as stream:
                return bytes(stream.read(most))
        except OSError:
            return None
