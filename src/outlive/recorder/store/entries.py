"""The entries of one file of a record, in their declared shapes. The way by which readers get them."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from outlive.inside.notes.format import decode
from outlive.recorder.store.note_kinds import fitted

#: A week of samples is a few megabytes, a ring less than one.
LARGEST_FILE_BYTES = 64_000_000


Read = TypeVar("Read")

#: What was read since ``reading_once`` began, by what it was read from; nothing at other times.
_kept: dict[str, Any] | None = None


@contextlib.contextmanager
def reading_once() -> Iterator[None]:
    """Read and decode each file once: after a death several look at the same files, and a view of a living program is of one moment."""
    global _kept
    before, _kept = _kept, {}
    try:
        yield
    finally:
        _kept = before


def kept(key: str, read: Callable[[], Read]) -> Read:
    """Read something, or give what was read of it since ``reading_once`` began."""
    if _kept is None:
        return read()
    if key not in _kept:
        _kept[key] = read()
    return _kept[key]  # type: ignore[no-any-return]  # a key is always read in the same way


def entries(path: str) -> list[dict[str, Any]]:
    """Every intact entry of a file, oldest first; errors come back as ``OSError``."""
    return kept(path, lambda: fitted(decode(content_of(path))))


def content_of(path: str, most: int = LARGEST_FILE_BYTES) -> bytes:
    """The bytes of a file of a record: a regular one, and no more of it than any has."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
    with open(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(f"{path} is not a regular file")
        return file.read(most)
