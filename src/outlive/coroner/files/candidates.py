"""The files that an exception may be about: named in its words or in a variable, held as contents, listed, read by a pipeline."""

from __future__ import annotations

import os
import stat
import time
import zlib
from collections.abc import Iterator, Sequence

from outlive.data.formats.file_faults import fault_of
from outlive.model.data import LookedAt, Scene
from outlive.model.patterns import bounded
from outlive.units.complaints import Complaint

#: A person waits for the verdict.
SECONDS = 0.7
MAX_FILES = 400
MAX_WALKED = 5000
MAX_CULPRITS = 3
MAX_NAMES = 5
QUOTED = bounded(r"""["']([^"'\n{}]{1,300}?)["']""")
MAX_CONTENT_BYTES = 32_000_000


class Candidates:
    """What is complained about, where names may be found, until when."""

    def __init__(self, complaint: Complaint, scene: Scene, folder: str) -> None:
        self._complaint = complaint
        self._scene = scene
        self._folder = folder
        self._until = time.monotonic() + SECONDS

    @property
    def _in_time(self) -> bool:
        return time.monotonic() < self._until

    def _absolute(self, path: str) -> str:
        return os.path.normpath(os.path.join(self._folder, os.path.expanduser(path)))

    def _named(self) -> Iterator[LookedAt]:
        """Files that the message or a variable names, the surest first."""
        if self._complaint.path:
            yield LookedAt(self._absolute(self._complaint.path), "the message")
        quoted = list(self._quoted())
        yield from (one for one in quoted if fault_of(one.path))
        for held in self._scene.values:
            if held.path:
                yield LookedAt(self._absolute(held.path), f"the variable `{held.name}`")
        yield from quoted

    def _quoted(self) -> Iterator[LookedAt]:
        """Files whose names stand in quotes on the program's line that raised: one further out may name files that were fine."""
        place = self._complaint.thrown.own
        if place is None:
            return
        for text in QUOTED.findall(place.code):
            path = self._absolute(text)
            if length_of(path) is not None:
                yield LookedAt(path, f"line {place.line}", length_of(path))

    def _contents(self) -> Iterator[LookedAt]:
        """Files whose contents a variable of the program held."""
        wanted = [
            held
            for held in self._scene.values
            if held.crc is not None and self._complaint.size in (None, held.bytes)
        ]
        if not wanted:
            return
        for path, length in self._files_below(self._folders_to_search()):
            for held in wanted:
                if length == held.bytes and _checksum(path) == held.crc:
                    yield LookedAt(path, f"the contents of the variable `{held.name}`", length)

    def _folders_to_search(self) -> list[str]:
        """Where the program is likely to have read from: the folders that it names, then its own."""
        found = [self._folder]
        for held in self._scene.values:
            if held.path:
                path = self._absolute(held.path)
                found.insert(0, path if os.path.isdir(path) else os.path.dirname(path))
        return list(dict.fromkeys(found))

    def _files_below(self, folders: Sequence[str]) -> Iterator[tuple[str, int]]:
        """Regular files with their lengths, nearest first, as many as time allows."""
        waiting = [folder for folder in folders if folder not in ("", "/")]
        done: set[str] = set()
        count = 0
        while waiting and count < MAX_WALKED and self._in_time:
            folder = waiting.pop(0)
            if folder in done:
                continue
            done.add(folder)
            try:
                entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
            except OSError:
                continue
            for entry in entries:
                count += 1
                if entry.is_dir(follow_symlinks=False):
                    if not entry.name.startswith("."):
                        waiting.append(entry.path)
                elif entry.is_file():
                    yield entry.path, entry.stat().st_size

    def _of_pipeline(self) -> Iterator[LookedAt]:
        pipeline = self._scene.pipeline
        for path in pipeline.files[:MAX_FILES] if pipeline is not None else ():
            if not self._in_time:
                return
            yield LookedAt(self._absolute(path), "the files that the pipeline reads")

    def _listed(self) -> Iterator[LookedAt]:
        """Files that a list of the program names."""
        for held in self._scene.values:
            for path in held.paths:
                if not self._in_time:
                    return
                yield LookedAt(self._absolute(path), f"the list `{held.name}`")


def length_of(path: str) -> int | None:
    """The length of a regular file; None for everything else: a pipe would make us wait."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def _checksum(path: str) -> int | None:
    try:
        if (length_of(path) or 0) > MAX_CONTENT_BYTES:
            return None
        with open(path, "rb") as file:
            return zlib.crc32(file.read())
    except OSError:
        return None
