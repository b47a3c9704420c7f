"""What lies below the given paths: pictures, record files, annotations; everything else is counted and left alone."""

from __future__ import annotations

import enum
import glob
import os
from collections.abc import Iterator, Sequence

from outlive.data.formats.image_headers import HEAD_BYTES, format_of
from outlive.data.formats.tfrecords import begins_as_records
from outlive.data.scan.pictures import ALL_EXTENSIONS
from outlive.errors import UsageError, did_you_mean_path

RECORD_EXTENSIONS = (".tfrecord", ".tfrecords", ".tfrec", ".record", ".records", ".tfr")


class What(enum.Enum):
    """How a file is checked."""

    PICTURE = "picture"
    RECORDS = "records"
    COCO = "json"
    VOC = "xml"
    YOLO = "text"


def files_below(paths: Sequence[str]) -> Iterator[str]:
    """Every file, each once, in a stable order; links to folders are not followed (they may go round in circles)."""
    seen: set[tuple[int, int]] = set()
    for given in paths:
        matched = [given] if os.path.lexists(given) else sorted(glob.glob(given, recursive=True))
        if not matched:
            hint = did_you_mean_path(given, "Give a file, a folder or a pattern.")
            raise UsageError(f"There is nothing at {given!r}.", hint)
        for path in matched:
            if os.path.isdir(path):
                for folder, folders, names in os.walk(path):
                    folders[:] = sorted(name for name in folders if not name.startswith("."))
                    for name in sorted(names):
                        yield from _once(os.path.join(folder, name), seen)
            else:
                yield from _once(path, seen)


def _once(path: str, seen: set[tuple[int, int]]) -> Iterator[str]:
    try:
        status = os.stat(path)
    except OSError:
        yield path  # a link that leads nowhere is told as a flaw
        return
    if (status.st_dev, status.st_ino) not in seen:
        seen.add((status.st_dev, status.st_ino))
        yield path


def what_is(path: str) -> What | None:
    """How to check a file: by its name, and, when that says nothing, by its first bytes."""
    name = os.path.basename(path).lower()
    extension = os.path.splitext(name)[1]
    if name.startswith("."):
        return None
    if extension in ALL_EXTENSIONS:
        return What.PICTURE
    if extension in RECORD_EXTENSIONS or any(f"{known}-" in name for known in RECORD_EXTENSIONS):
        return What.RECORDS  # also data.tfrecord-00001-of-00010
    if (
        extension in (".gz", ".zlib")
        and os.path.splitext(name[: -len(extension)])[1] in RECORD_EXTENSIONS
    ):
        return What.RECORDS
    simple = {".json": What.COCO, ".xml": What.VOC, ".txt": What.YOLO}.get(extension)
    if simple is not None:
        return simple
    head = _head(path)
    if begins_as_records(head):
        return What.RECORDS  # train-00000-of-01024
    return What.PICTURE if not extension and format_of(head) else None


def _head(path: str) -> bytes:
    try:
        if not os.path.isfile(path):
            return b""
        with open(path, "rb") as file:
            return file.read(HEAD_BYTES)
    except OSError:
        return b""
