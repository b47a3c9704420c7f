"""The pictures that an annotation file speaks of: where they lie, and what was found there, so that an earlier result can be known to be stale."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from outlive.data.scan.cache import stamp_of
from outlive.data.scan.pictures import ALL_EXTENSIONS

DARKNET_FOLDERS = ("labels", "images")

#: Stands for the annotation file's own name, with the extension of any picture.
SAME_NAME = "*"

#: So many folders below an annotation file may be those of its splits; more are something else.
MOST_SPLITS = 20

#: As people and as cameras write them: .jpg, .JPG.
EITHER_CASE = (*sorted(ALL_EXTENSIONS), *sorted(map(str.upper, ALL_EXTENSIONS)))

#: A name, the folders to look in, and what was there: the path, its size and its time.
Sight = tuple[str, tuple[str, ...], str | None, tuple[int, int] | None]


class Neighbours:
    """What lies beside one annotation file; remembers what it was asked for, and calls ``alive`` each time."""

    def __init__(self, path: str, alive: Callable[[], None] = lambda: None) -> None:
        self._path = os.path.abspath(path)
        self._alive = alive
        self._seen: dict[tuple[str, tuple[str, ...]], Sight] = {}
        self._roots_of: dict[tuple[str, ...], tuple[str, ...]] = {}

    def find(self, name: str, folders: Sequence[str]) -> str | None:
        """The picture of a name: in the file's folder, in those above, in the one that stands for it, or in that of its split."""
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

    def _places(self, name: str, folders: tuple[str, ...]) -> Iterator[str]:
        if name == SAME_NAME:
            names = [self._stem + extension for extension in EITHER_CASE]
        elif os.path.splitext(name)[1].lower() in ALL_EXTENSIONS:
            names = [name]
        else:  # ImageNet's files give no extension
            names = [name, *(name + extension for extension in EITHER_CASE)]
        for root in self._roots(folders):
            yield from (os.path.join(root, one) for one in names)

    @property
    def _stem(self) -> str:
        return os.path.splitext(os.path.basename(self._path))[0]

    def _roots(self, folders: tuple[str, ...]) -> tuple[str, ...]:
        """All folders to look in, the nearest first; listed once, for there may be a hundred thousand pictures."""
        if folders not in self._roots_of:
            near = [root for folder in folders for root in self._near(folder)]
            splits = [split for folder in folders for split in self._splits(folder)]
            self._roots_of[folders] = tuple(dict.fromkeys((*near, *splits)))
        return self._roots_of[folders]

    def _near(self, folder: str) -> Iterator[str]:
        here = os.path.dirname(self._path)
        above = os.path.dirname(here)
        for root in (here, above, os.path.dirname(above)):  # annotations/xmls/a.xml → images/a.jpg
            yield os.path.normpath(os.path.join(root, folder))
        parts = here.split(os.sep)
        if DARKNET_FOLDERS[0] in parts:  # labels/train/a.txt → images/train/a.jpg
            last = len(parts) - 1 - parts[::-1].index(DARKNET_FOLDERS[0])
            yield os.sep.join([*parts[:last], DARKNET_FOLDERS[1], *parts[last + 1 :]])

    def _splits(self, folder: str) -> Iterator[str]:
        """Folders that the file is named after: annotations/instances_val2017.json → val2017, images/val2017. Else all below it, if they are few.

        Where there is one of its name, no other is looked in: what it lacks is missing, though another split may have a picture of that name.
        """
        here = os.path.dirname(self._path)
        below = _folders_in(os.path.normpath(os.path.join(here, folder)))
        beside = _folders_in(os.path.normpath(os.path.join(os.path.dirname(here), folder)))
        stem = self._stem.lower()
        mine = [one for one in (*below, *beside) if os.path.basename(one).lower() in stem]
        yield from mine or (below if len(below) <= MOST_SPLITS else ())


def _folders_in(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in entries if entry.is_dir()]
    except OSError:
        return []
    return [os.path.join(folder, name) for name in sorted(names) if not name.startswith(".")]
