"""What to run the detector on: folders, patterns, lists, files and videos, each input once and in a stable order."""

from __future__ import annotations

import glob
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import BinaryIO

from outlive.data.addresses import absolute, below, is_address
from outlive.data.scan.pictures import ALL_EXTENSIONS
from outlive.errors import UsageError, did_you_mean_path

VIDEO_EXTENSIONS = frozenset((".mp4", ".mov", ".avi", ".mkv", ".webm", ".m4v", ".mpg", ".mpeg"))

#: By its beginning one sees how the names of a list are set apart.
LOOK_BYTES = 1 << 16


def inputs_from(words: Sequence[str], lists: Sequence[str] = ()) -> Iterator[str]:
    """The names of all inputs. ``@file`` is a list, one name a line (or, as `find -print0` makes them, a zero byte behind each)."""
    return _new(every_mention(words, lists), set())


def every_mention(words: Sequence[str], lists: Sequence[str] = ()) -> Iterator[str]:
    """The same, but a name that is mentioned twice comes twice: nothing has to be remembered, however many there are."""
    for word in words:
        if word in ("-", "@-"):
            continue  # is among the lists
        if word.startswith("@") and not os.path.lexists(word):
            yield from _listed(word[1:])
        else:
            yield from _found(word)
    for path in lists:
        yield from _listed(path)


def _new(names: Iterator[str], seen: set[int]) -> Iterator[str]:
    """Each once; remembered as numbers, so that a million of them take little."""
    for name in names:
        number = hash(absolute(name))
        if number not in seen:
            seen.add(number)
            yield name


def _found(word: str) -> Iterator[str]:
    if is_address(word):
        for name in below(word):
            if name == word or is_input(name):
                yield name
        return
    if os.path.isdir(word):
        for folder, folders, names in os.walk(word):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                if is_input(name):
                    yield os.path.join(folder, name)
        return
    if os.path.lexists(word):
        yield word  # named by a person: tried, whatever it is called
        return
    for path in _matched(word):
        if os.path.isdir(path):
            yield from _found(path)
        elif is_input(path):
            yield path


def _matched(pattern: str) -> list[str]:
    matched = sorted(glob.glob(pattern, recursive=True))
    if not matched:
        hint = did_you_mean_path(pattern, "Give a file, a folder, a pattern or @list.")
        raise UsageError(f"There is nothing at {pattern!r}.", hint)
    return matched


def must_exist(words: Sequence[str]) -> None:
    """Say before anything is begun which of them leads nowhere."""
    for word in words:
        if not word.startswith("@") and not is_address(word) and not os.path.lexists(word):
            _matched(word)


def _listed(path: str) -> Iterator[str]:
    """The names in a list, relative to where it lies if that is where they are. A name that leads nowhere stays: it is told."""
    try:
        with open(path, "rb") as file:
            end = b"\0" if b"\0" in file.read(LOOK_BYTES) else b"\n"
            file.seek(0)
            for line in _pieces(file, end):
                name = os.fsdecode(line.rstrip(b"\r") if end == b"\n" else line)
                if not name.strip() or (end == b"\n" and name.startswith("#")):
                    continue
                if is_address(name):
                    yield name
                    continue
                beside = os.path.join(os.path.dirname(path), name)
                yield beside if not os.path.lexists(name) and os.path.lexists(beside) else name
    except OSError as error:
        raise UsageError(f"The list {path} cannot be read: {error.strerror}.") from error


def _pieces(file: BinaryIO, end: bytes) -> Iterator[bytes]:
    kept = b""
    while data := file.read(LOOK_BYTES):
        *whole, kept = (kept + data).split(end)
        yield from whole
    if kept:
        yield kept


@contextmanager
def kept_standard_input(words: Sequence[str], lists: Sequence[str]) -> Iterator[list[str]]:
    """The lists, with what comes through a pipe (``-`` or ``@-`` among the words, or ``-`` among the lists) as a file: a list is read more than once."""
    if not any(word in ("-", "@-") for word in words) and "-" not in lists:
        yield list(lists)
        return
    with tempfile.NamedTemporaryFile(prefix="outlive-list-") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
        file.flush()
        yield [*(one for one in lists if one != "-"), file.name]


def is_input(name: str) -> bool:
    """Whether a file of a folder is meant: a picture or a video, by its extension."""
    base = os.path.basename(name)
    extension = os.path.splitext(base)[1].lower()
    return not base.startswith(".") and (
        extension in ALL_EXTENSIONS or extension in VIDEO_EXTENSIONS
    )


def is_video(name: str) -> bool:
    """Tell by its extension whether a file is a video."""
    return os.path.splitext(name)[1].lower() in VIDEO_EXTENSIONS
