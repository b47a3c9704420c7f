"""Which pictures was the program reading when its memory ran out, and how large are they?"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from outlive.data.formats.image_headers import Size, size_in
from outlive.model.memory_looks import Picture
from outlive.recorder.store.users_files import beginning_of

#: A JPEG may carry a preview and a profile before it tells its size.
HEADER_BYTES = 512 * 1024
MOST_FILES = 400


def pictures_in(censuses: Sequence[Mapping[str, Any]], folder: str) -> tuple[Picture, ...]:
    """The pictures that the running functions named at the last looks, and those that pipelines list; the largest first."""
    found: dict[str, Picture] = {}
    named: dict[str, Sequence[str]] = {}
    for census in censuses[-3:]:
        for path, width, height in census.get("picture_sizes") or ():
            found[str(path)] = Picture(str(path), int(width), int(height), 3)
        folders = [str(one) for one in census.get("folders") or ()]
        named |= {str(path): folders for path in census.get("pictures") or ()}
    for census in censuses:
        named |= {str(path): () for path in census.get("listed") or ()}
    for path in list(named)[:MOST_FILES]:
        sizes = (_size_of_file(place) for place in _places(path, folder, named[path]))
        size = next((size for size in sizes if size is not None), None)
        if size is not None:
            found.setdefault(path, Picture(path, *size))
    return tuple(sorted(found.values(), key=lambda picture: -picture.bytes))


def _places(path: str, folder: str, others: Sequence[str]) -> Iterator[str]:
    """Where a file of this name may lie: as it is written, or in one of the folders that the program named beside it."""
    for base in ("", *others):
        yield os.path.join(folder, base, path)


def _size_of_file(path: str) -> Size | None:
    data = beginning_of(path, HEADER_BYTES)
    return None if data is None else size_in(data)
