"""Files that a record names: source code, notebooks, pictures. Read with suspicion, and never for a record of another machine.

A name in a record is only a name: it may lead to a device without an end, to a pipe that nobody writes into, or, in a record that
somebody sent, to a file that is none of the sender's business. So only regular files are read, only so much of each, and nothing at
all while a foreign record is judged.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import stat
import tokenize
from collections.abc import Iterator, Sequence
from contextvars import ContextVar

#: A longer file is hardly one that a person wrote.
LARGEST_BYTES = 4_000_000

_FOREIGN: ContextVar[bool] = ContextVar("foreign", default=False)


@contextlib.contextmanager
def judging(*, foreign: bool) -> Iterator[None]:
    """Say whose record is read from now on: while it is a foreign one, no file of this machine is."""
    before = _FOREIGN.set(foreign)
    try:
        yield
    finally:
        _FOREIGN.reset(before)


def is_foreign() -> bool:
    """Whether the record that is judged now came from elsewhere."""
    return _FOREIGN.get()


def exists(path: str) -> bool:
    """Whether there is a regular file of this name."""
    return _state_of(path) is not None


def beginning_of(path: str, most: int) -> bytes | None:
    """The first bytes of a regular file; None when there is none, or none may be read."""
    if _state_of(path) is None:
        return None
    try:
        # Between the look and the opening it may have become a pipe: opened so, nobody waits for its other end.
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY)
        with open(handle, "rb") as file:
            return file.read(most) if stat.S_ISREG(os.fstat(handle).st_mode) else None
    except (OSError, ValueError):
        return None


def text_of(path: str, most: int = LARGEST_BYTES) -> str | None:
    """The text of a source file, in the encoding that it declares; None if it is larger or not text."""
    data = beginning_of(path, most + 1)
    if data is None or len(data) > most:
        return None
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding)
    except (SyntaxError, ValueError, LookupError):
        return None


def lines_of(path: str) -> Sequence[str]:
    """The lines of a source file, with their ends; none when it cannot be read."""
    state = _state_of(path)
    if state is None:
        return ()
    return _lines_of(path, state.st_mtime_ns, state.st_size)


def line_of(path: str, number: int) -> str:
    """One line of a source file, or nothing."""
    lines = lines_of(path)
    return lines[number - 1] if 0 < number <= len(lines) else ""


@functools.lru_cache(maxsize=64)  # every stack of a run asks for the same few files
def _lines_of(path: str, changed: int, size: int) -> Sequence[str]:
    text = text_of(path)
    return () if text is None else tuple(io.StringIO(text, newline=None))


def _state_of(path: str) -> os.stat_result | None:
    """The state of a regular file that may be read."""
    if is_foreign():
        return None
    try:
        found = os.stat(path)
    except (OSError, ValueError):  # a name with a zero byte is none
        return None
    return found if stat.S_ISREG(found.st_mode) else None
