"""One TFRecord file: its framing, its records, and, where they are detection examples, their boxes and pictures."""

from __future__ import annotations

import math
import mmap
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from outlive.data.formats import tf_examples, tfrecords
from outlive.data.formats.protobuf import NotProtobuf
from outlive.data.scan.boxes import Box, problems_in_unit_square, problems_with_label, repeats
from outlive.data.scan.flaws import Flaw
from outlive.data.scan.pictures import check_bytes
from outlive.data.scan.pictures_in_records import Album, is_picture

OBJECTS = "image/object/"
BOX = OBJECTS + "bbox/"
SIDES = tuple(BOX + side for side in ("xmin", "ymin", "xmax", "ymax"))
LABEL, TEXT = "image/object/class/label", "image/object/class/text"
ENCODED, FORMAT = "image/encoded", "image/format"

#: What most records of a set have, all should have; what few have is optional.
MOST = 0.5

Features = Mapping[str, tuple[str, list[Any]]]


@dataclass
class Schema:
    """Which features the records have, counted over all files; picklable, so that workers can bring it home."""

    records: int = 0
    types: Counter[tuple[str, str]] = field(default_factory=Counter)
    examples: dict[tuple[tuple[str, str], ...], list[tuple[str, int]]] = field(default_factory=dict)
    counts: Counter[tuple[tuple[str, str], ...]] = field(default_factory=Counter)

    def see(self, path: str, number: int, found: Features) -> None:
        """Take note of one record. A feature without values has no type and does not count."""
        shape = tuple(sorted((name, kind) for name, (kind, values) in found.items() if kind))
        self.records += 1
        self.types.update(shape)
        self.counts[shape] += 1
        places = self.examples.setdefault(shape, [])
        if len(places) < 20:
            places.append((path, number))

    def add(self, other: Schema) -> None:
        """Add what another worker counted."""
        self.records += other.records
        self.types.update(other.types)
        self.counts.update(other.counts)
        for shape, places in other.examples.items():
            mine = self.examples.setdefault(shape, [])
            mine += places[: 20 - len(mine)]

    def as_data(self) -> list[Any]:
        """For the cache: each combination of features, how often it came, and where."""
        return [
            [list(map(list, shape)), self.counts[shape], places]
            for shape, places in self.examples.items()
        ]

    @classmethod
    def from_data(cls, data: list[Any]) -> Schema:
        """Read back what ``as_data`` wrote."""
        found = cls()
        for pairs, count, places in data:
            shape = tuple((str(name), str(kind)) for name, kind in pairs)
            found.records += count
            found.counts[shape] += count
            found.types.update(dict.fromkeys(shape, count))
            found.examples[shape] = [(str(path), int(number)) for path, number in places]
        return found

    def flaws(self) -> Iterator[Flaw]:
        """Records that lack what most others have, or have it with another type."""
        usual: dict[str, str] = {}
        types: dict[str, str] = {}
        for (name, kind), count in self.types.most_common():
            types.setdefault(name, kind)
            if count > MOST * self.records and not name.startswith(OBJECTS):
                usual.setdefault(name, kind)
        boxed = sum(count for shape, count in self.counts.items() if SIDES[0] in dict(shape))
        labelled = self.types[LABEL, types.get(LABEL, "")] > MOST * boxed
        for shape, places in self.examples.items():
            has = dict(shape)
            more = self.counts[shape] - len(places)
            also = f" ({more} more like it)" if more > 0 else ""
            if not has and usual:
                for path, number in places:
                    yield Flaw("feature-missing", path, f"has no feature at all{also}", number)
            if len(has.keys() & usual.keys()) < MOST * len(usual):
                continue  # another kind of record, not one of these with something missing
            # What is told of objects may be left out where there are none; where it is, it has one type.
            needed = {*usual, *([LABEL] if labelled and SIDES[0] in has else ())}
            of_objects = {name for name in has if name.startswith(OBJECTS)}
            for name in sorted(needed | of_objects):
                kind = types[name]
                for path, number in places:
                    if name not in has:
                        yield Flaw(
                            "feature-missing", path, f"has no feature {name!r}{also}", number
                        )
                    elif has[name] != kind:
                        says = f"feature {name!r} is {has[name]}, in most records {kind}{also}"
                        yield Flaw("feature-type", path, says, number)


def check_records(
    path: str,
    budget: int | None,
    labels: Mapping[int, frozenset[str]],
    alive: Callable[[], None] = lambda: None,
) -> tuple[list[Flaw], Schema]:
    """Every flaw of one file, and what its records have. ``alive`` is called after each record: a large file takes its time."""
    schema, album = Schema(), Album(path, budget)
    flaws: list[Flaw] = []
    strangers: list[Flaw] = []
    try:
        for record in _records_of(path, budget):
            alive()
            if record.data is None:
                slug = "records-truncated" if record.cut else "records-corrupt"
                says = f"{record.damage}, at byte {record.offset}"
                flaws.append(Flaw(slug, path, says, record.number, record.offset))
                continue
            if is_picture(record.data):
                flaws += check_bytes(path, bytes(record.data), budget, record.number).flaws
                continue
            try:
                found = tf_examples.features(record.data)
            except NotProtobuf as error:
                says = str(error)
                strangers.append(
                    Flaw("record-unreadable", path, says, record.number, record.offset)
                )
                continue
            schema.see(path, record.number, found)
            if ENCODED in found or any(side in found for side in SIDES):
                flaws += check_detection(path, record.number, found, budget, labels)
            else:
                flaws += album.see(record.number, found)
    except OSError as error:
        return [Flaw("file-unreadable", path, f"cannot be read: {error.strerror or error}")], schema
    if not os.path.getsize(path):
        flaws.append(Flaw("records-empty", path, "holds no record"))
    flaws += album.strangers()
    # A TFRecord may hold anything: serialized tensors, sequences, texts. Among examples that is a fault, among its like it is not.
    return flaws + (strangers if len(strangers) < schema.records else []), schema


def _records_of(path: str, budget: int | None) -> Iterator[tfrecords.Record]:
    """The records of a file that is never whole in memory."""
    with open(path, "rb") as file:
        bits = tfrecords.packing(file.read(tfrecords.HEAD.size))
        file.seek(0)
        if bits is not None:
            yield from tfrecords.packed_records(file, bits, budget)
        elif os.fstat(file.fileno()).st_size:
            yield from tfrecords.records(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def check_detection(
    path: str,
    number: int,
    found: Features,
    budget: int | None,
    labels: Mapping[int, frozenset[str]],
) -> Iterator[Flaw]:
    """An example of the Object Detection API."""
    encoded = _texts(found, ENCODED)
    if encoded:
        picture = check_bytes(path, bytes(encoded[0]), budget, number)
        yield from picture.flaws
        for side, real in (("image/width", picture.width), ("image/height", picture.height)):
            told = _numbers(found, side)
            if told and real and told[0] != real:
                yield Flaw(
                    "size-disagrees", path, f"{side} says {told[0]}, the picture has {real}", number
                )
        words = b"".join(map(bytes, _texts(found, FORMAT)[:1])).decode("utf-8", "replace").lower()
        named = "JPEG" if words in ("jpg", "jpeg") else words.upper()
        if words and picture.format and named != picture.format:
            yield Flaw(
                "format-disagrees", path, f"says {words}, the picture is {picture.format}", number
            )
    elif ENCODED not in found or not encoded:
        yield Flaw("image-empty", path, f"has no {ENCODED}", number)
    sides = [[float(value) for value in _numbers(found, side)] for side in SIDES]
    for slug, says in _box_problems(sides, found, labels):
        yield Flaw(slug, path, says, number)


def _box_problems(
    sides: list[list[float]], found: Features, labels: Mapping[int, frozenset[str]]
) -> Iterator[tuple[str, str]]:
    counts = [len(side) for side in sides]
    numbers, texts = _numbers(found, LABEL), _texts(found, TEXT)
    if len(set(counts)) > 1:
        told = ", ".join(
            f"{count} {name.rpartition('/')[2]}" for name, count in zip(SIDES, counts, strict=True)
        )
        yield "counts-differ", f"the coordinates differ in number: {told}"
        return
    for what, values in (("labels", numbers), ("label texts", texts)):
        if values and len(values) != counts[0]:
            yield "counts-differ", f"{counts[0]} boxes and {len(values)} {what}"
    boxes = [Box(*corners) for corners in zip(*sides, strict=True)]
    for box in boxes:
        yield from problems_in_unit_square(box)
    if len(numbers) == len(boxes):
        for place in repeats(
            f"{label} {box.corners}" for label, box in zip(numbers, boxes, strict=True)
        ):
            yield "duplicate", f"box {boxes[place]} is duplicated"
    for label in numbers:
        if isinstance(label, float) and not math.isfinite(label):
            continue
        if int(label) == 0:
            yield "label-unknown", "label 0 is the background; objects must not use it"
        else:
            yield from problems_with_label(int(label), labels.keys())
    names = {name for group in labels.values() for name in group}
    for text in texts:
        yield from problems_with_label(bytes(text).decode("utf-8", "replace"), names)


def _numbers(found: Features, name: str) -> list[Any]:
    """The values of a feature that is read as numbers; one of another type is told as such, and has none."""
    kind, values = found.get(name, ("", []))
    return values if kind in ("int64", "float") else []


def _texts(found: Features, name: str) -> list[Any]:
    kind, values = found.get(name, ("", []))
    return values if kind == "bytes" else []
