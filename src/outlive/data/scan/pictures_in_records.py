"""Pictures inside records of any kind: which features hold them is told by what most records of a file have there."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from outlive.data.formats.image_headers import HEAD_BYTES, format_of
from outlive.data.scan.flaws import Flaw
from outlive.data.scan.pictures import check_bytes

#: What ends a run whatever a picture is for. Sixteen bits or one channel may be meant: depth, masks.
FATAL = frozenset(
    {"image-empty", "image-truncated", "image-corrupt", "not-an-image"}
    | {"decompression-bomb", "image-too-large"}
)

#: Two first bytes are too few to tell a picture from a text.
UNSURE = ("BMP",)

#: Values of one feature that are kept for a report. If more of them are not pictures, the feature does not hold pictures.
MOST_KEPT = 1000


def is_picture(data: Any) -> bool:
    """Whether bytes begin as a picture does, and as nothing else."""
    return format_of(bytes(data[:HEAD_BYTES])) not in ("", *UNSURE)


class Album:
    """The pictures of one file of records."""

    def __init__(self, path: str, budget: int | None) -> None:
        self._path = path
        self._budget = budget
        self._pictures: Counter[str] = Counter()
        self._others: defaultdict[str, list[Flaw]] = defaultdict(list)

    def see(self, number: int, found: Mapping[str, tuple[str, list[Any]]]) -> Iterator[Flaw]:
        """Check the pictures of one record."""
        for name, (kind, values) in found.items():
            for value in values if kind == "bytes" else ():
                picture = is_picture(value)
                self._pictures[name] += picture
                if picture:
                    yield from self._flaws(value, number, name)
                elif len(self._others[name]) < MOST_KEPT:
                    self._others[name] += self._flaws(value, number, name)

    def strangers(self) -> Iterator[Flaw]:
        """List the values that are not pictures, where most values of the feature are."""
        for name, flaws in self._others.items():
            if len(flaws) < self._pictures[name]:
                yield from flaws

    def _flaws(self, value: Any, number: int, name: str) -> Iterator[Flaw]:
        for flaw in check_bytes(self._path, bytes(value), self._budget, number).flaws:
            if flaw.slug in FATAL:
                yield Flaw(flaw.slug, flaw.path, f"{name!r} {flaw.says}", number, flaw.offset)
