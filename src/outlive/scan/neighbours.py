"""The pictures that an annotation file speaks of: where they lie, and what was found there, so that an earlier result can be known to be stale."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from outlive.scan.cache import stamp_of
from outlive.scan.pictures import ALL_EXTENSIONS

DARKNET_FOLDERS = ("labels", "images")

#: Stands for the annotation file's own name, with the extension of any picture.
SAME_NAME = "*"

#: A name, the folders to look in, and what was there: the path, its size and its time.
Sight = tuple[str, tuple[str, ...], str | None, tuple[int, int] | None]


class Neighbours:
    """What lies beside one annotation file; remembers what it was asked for, and calls ``alive`` each time."""

    def __init__(self, path: str, alive: Callable[[], None] = lambda: None) -> None:
        self._path = os.path.abspath(path)
        self._alive = alive
        self._seen: dict[tuple[str, tuple[str, ...]], Sight] = {}

    def find(self, name: str, folders: Sequence[str]) -> str | None:
        """The picture of a name: in the file's folder, in its parent's, or in the one that stands for it."""
        self._alive()
        asked = name, tuple(folders)
        if asked not in self._seen:
            found = next(filter(os.path.isfile, self._places(*asked)), None)
            self._seen[asked] = (*asked, found, stamp_of(found) if found else None)
        return self._seen[asked][2]

    @property
    def seen(self) -> tuple[Sight, ...]:
        """All that a result leans on."""
        return tuple(self._seen.values())

    def are_as(self, seen: Sequence[Sight]) -> bool:
        """Whether all that an earlier result leaned on is as it was."""
        for name, folders, found, stamp in seen:
            self.find(name, folders)
            if self._seen[name, tuple(folders)][2:] != (found, tuple(stamp) if stamp else None):
                return False
        return True

    def _places(self, name: str, folders: Sequence[str]) -> Iterator[str]:
        stem = os.path.splitext(os.path.basename(self._path))[0]
        same = name == SAME_NAME
        names = [stem + extension for extension in sorted(ALL_EXTENSIONS)] if same else [name]
        for folder in folders:
            for root in self._roots(folder):
                yield from (os.path.join(root, one) for one in names)

    def _roots(self, folder: str) -> Iterator[str]:
        here = os.path.dirname(self._path)
        yield os.path.join(here, folder)
        yield os.path.join(os.path.dirname(here), folder)
        parts = here.split(os.sep)
        if DARKNET_FOLDERS[0] in parts:  # labels/train/a.txt → images/train/a.jpg
            last = len(parts) - 1 - parts[::-1].index(DARKNET_FOLDERS[0])
            yield os.sep.join([*parts[:last], DARKNET_FOLDERS[1], *parts[last + 1 :]])
