"""What to run the detector on: folders, patterns, lists, files and videos, each input once and in a stable order."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence

from outlive.errors import UsageError
from outlive.scan.pictures import ALL_EXTENSIONS

VIDEO_EXTENSIONS = frozenset((".mp4", ".mov", ".avi", ".mkv", ".webm", ".m4v", ".mpg", ".mpeg"))


def inputs_from(words: Sequence[str], lists: Sequence[str] = ()) -> Iterator[str]:
    """The names of all inputs. ``@file`` is a list, one name a line; ``-`` in a list is not special."""
    seen: set[int] = set()
    for word in words:
        if word.startswith("@") and not os.path.lexists(word):
            yield from _new(_listed(word[1:]), seen)
        else:
            yield from _new(_found(word), seen)
    for path in lists:
        yield from _new(_listed(path), seen)


def _new(names: Iterator[str], seen: set[int]) -> Iterator[str]:
    """Each once; remembered as numbers, so that a million of them take little."""
    for name in names:
        number = hash(os.path.abspath(name))
        if number not in seen:
            seen.add(number)
            yield name


def _found(word: str) -> Iterator[str]:
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
    matched = sorted(glob.glob(word, recursive=True))
    if not matched:
        raise UsageError(
            f"There is nothing at {word!r}.", "Give a file, a folder, a pattern or @list."
        )
    for path in matched:
        if os.path.isdir(path):
            yield from _found(path)
        elif is_input(path):
            yield path


def _listed(path: str) -> Iterator[str]:
    """One name a line, relative to where the list lies if that is where it is. A name that leads nowhere stays: it is told."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            for line in file:
                name = line.rstrip("\r\n")
                if not name.strip() or name.startswith("#"):
                    continue
                beside = os.path.join(os.path.dirname(path), name)
                yield beside if not os.path.lexists(name) and os.path.lexists(beside) else name
    except OSError as error:
        raise UsageError(f"The list {path} cannot be read: {error.strerror}.") from error


def is_input(name: str) -> bool:
    """Whether a file of a folder is meant: a picture or a video, by its extension."""
    base = os.path.basename(name)
    extension = os.path.splitext(base)[1].lower()
    return not base.startswith(".") and (
        extension in ALL_EXTENSIONS or extension in VIDEO_EXTENSIONS
    )


def is_video(name: str) -> bool:
    """By its extension."""
    return os.path.splitext(name)[1].lower() in VIDEO_EXTENSIONS
