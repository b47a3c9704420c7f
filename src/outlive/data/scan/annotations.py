"""Detection annotations beside the pictures: COCO (JSON), Pascal VOC (XML), YOLO (text)."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from outlive.data.scan.boxes import (
    Box,
    Key,
    Problem,
    problems_in_pixels,
    problems_in_unit_square,
    problems_with_label,
    repeats,
)
from outlive.data.scan.flaws import Flaw
from outlive.data.scan.neighbours import DARKNET_FOLDERS, SAME_NAME, Neighbours

#: An annotation file with entities can grow without end when it is read; no annotation tool writes any.
ENTITIES = re.compile(rb"<!(DOCTYPE|ENTITY)", re.IGNORECASE)
MOST_XML_BYTES = 50_000_000

YOLO_WORDS = (5, 6)  #: with the confidence of a prediction
#: Objects in one picture; nobody has drawn more, and no picture shows them.
MOST_LINES = 50_000
MOSTLY = 0.5


def is_coco(data: Any) -> bool:
    """Whether JSON is a COCO file."""
    return isinstance(data, dict) and isinstance(data.get("images"), list) and "annotations" in data


def _meant_as_coco(text: bytes) -> bool:
    """Tell whether a file that is not valid JSON was meant as annotations: it is neither JSON Lines nor settings with comments."""
    if not text.strip():
        return True
    first = text.strip().splitlines()[0]
    try:
        return is_coco(json.loads(first))
    except (ValueError, RecursionError):
        return b'"annotations"' in text or b'"images"' in text


def check_coco(
    path: str, text: bytes, labels: Mapping[int, frozenset[str]], near: Neighbours
) -> Iterator[Flaw]:
    """A COCO file: its images, categories and boxes."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        if not _meant_as_coco(text):
            return
        offset = getattr(error, "pos", None)
        yield Flaw("annotations-unreadable", path, f"is not JSON: {error}", None, offset)
        return
    if not is_coco(data):
        return
    images: dict[Key, dict[str, Any]] = {}
    yield from _coco_images(path, _dicts(data["images"]), images, near)
    categories = {_key(one.get("id")): one for one in _dicts(data.get("categories"))}
    for number, category in categories.items():
        for slug, says in problems_with_label(number, labels.keys()):
            yield Flaw(slug, path, f"category {category.get('name')!r}: {says}")
    known = categories.keys() or labels.keys()
    annotations = _dicts(data["annotations"])
    same_id = set(repeats(_key(one.get("id")) for one in annotations))
    same_box = set(repeats(_same_object(one) for one in annotations)) - same_id
    for index, annotation in enumerate(annotations):
        number = annotation.get("id")
        record = number if isinstance(number, int) else None
        if index in same_id:
            yield Flaw("duplicate", path, f"annotation id {number} is given twice", record)
        if index in same_box:
            yield Flaw("duplicate", path, f"annotation {number}: its box is duplicated", record)
        for slug, says in _coco_problems(annotation, images, known):
            yield Flaw(slug, path, f"annotation {number}: {says}", record)


def _coco_images(
    path: str,
    listed: Sequence[dict[str, Any]],
    images: dict[Key, dict[str, Any]],
    near: Neighbours,
) -> Iterator[Flaw]:
    """The list of images; fills ``images`` by their number."""
    names: set[str] = set()
    missing: list[Flaw] = []
    for image in listed:
        number, name = _key(image.get("id")), str(image.get("file_name", ""))
        if number in images:
            yield Flaw("duplicate", path, f"image id {number} is given twice")
        elif name and name in names:
            yield Flaw("duplicate", path, f"image {name!r} is listed twice")
        images[number] = image
        names.add(name)
        for flaw in _image_of(path, near, name, image.get("width"), image.get("height")):
            if flaw.slug == "file-missing":
                missing.append(flaw)
            else:
                yield flaw
    if len(missing) > 1 and len(missing) == len(listed):  # they lie elsewhere: one thing is wrong
        first = str(listed[0].get("file_name"))
        says = f"none of its {len(missing)} pictures is near it ({first!r} and the others)"
        yield Flaw("file-missing", path, says)
    else:
        yield from missing


def _same_object(annotation: Mapping[str, Any]) -> Key:
    """Two of the same are one object, annotated twice."""
    box = annotation.get("bbox")
    if not box:
        return None
    return json.dumps([annotation.get("image_id"), annotation.get("category_id"), box])


def _coco_problems(
    annotation: Mapping[str, Any], images: Mapping[Key, dict[str, Any]], known: Collection[Key]
) -> Iterator[Problem]:
    image = images.get(_key(annotation.get("image_id")))
    if image is None:
        yield "file-missing", f"its image {annotation.get('image_id')!r} is not in the list"
    yield from problems_with_label(_key(annotation.get("category_id", 0)), known)
    corners = annotation.get("bbox")
    if corners is None:
        return
    values = [_number(value) for value in corners] if isinstance(corners, list) else []
    if len(values) != 4:
        yield "counts-differ", f"its box has {len(values)} numbers"
        return
    x, y, width, height = values
    if width < 0 or height < 0:
        yield "box-inverted", f"its box has a negative side ({width:g}×{height:g})"
        return
    box = Box(x, y, x + width, y + height)
    sides = (
        (_number(image.get("width")), _number(image.get("height")))
        if image
        else (math.nan, math.nan)
    )
    if all(map(math.isfinite, sides)) and min(sides) > 0:
        yield from problems_in_pixels(box, *sides)
    elif not all(map(math.isfinite, box.corners)):
        yield "box-not-finite", f"box {box} has a coordinate that is not a number"


def check_voc(
    path: str, text: bytes, labels: Mapping[int, frozenset[str]], near: Neighbours
) -> Iterator[Flaw]:
    """A Pascal VOC file."""
    if text.strip() and b"<annotation" not in text:
        return  # somebody else's XML
    if ENTITIES.search(text[:10_000]) or len(text) > MOST_XML_BYTES:
        yield Flaw("annotations-unreadable", path, "has a DOCTYPE or is far too large; not read")
        return
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        yield Flaw("annotations-unreadable", path, f"is not XML: {error}")
        return
    if root.tag != "annotation":
        return
    width, height = _number(root.findtext("size/width")), _number(root.findtext("size/height"))
    name = root.findtext("filename") or ""
    yield from _image_of(path, near, name, width, height, ("JPEGImages", "images", "."))
    names = {label for group in labels.values() for label in group}
    things = list(root.iter("object"))
    for index in repeats(_voc_object(thing) for thing in things):
        yield Flaw("duplicate", path, f"object {index}: its box is duplicated", index)
    for index, thing in enumerate(things):
        yield from (
            Flaw(slug, path, f"object {index}: {says}", index)
            for slug, says in _voc_problems(thing, width, height, names)
        )


def _voc_object(thing: Any) -> Key:
    box = thing.find("bndbox")
    if box is None:
        return None
    return " ".join([str(thing.findtext("name")), *(f"{side.tag}={side.text}" for side in box)])


def _voc_problems(
    thing: Any, width: float, height: float, names: Collection[str]
) -> Iterator[Problem]:
    yield from problems_with_label(str(thing.findtext("name") or ""), names)
    corners = [thing.findtext(f"bndbox/{side}") for side in ("xmin", "ymin", "xmax", "ymax")]
    if any(corner is None for corner in corners):
        yield (
            "counts-differ",
            f"its box has {sum(corner is not None for corner in corners)} coordinates",
        )
        return
    box = Box(*map(_number, corners))
    if width > 0 and height > 0:
        yield from problems_in_pixels(box, width, height)
    elif not all(map(math.isfinite, box.corners)):
        yield "box-not-finite", f"box {box} has a coordinate that is not a number"


def check_yolo(path: str, text: bytes, classes: int | None, near: Neighbours) -> Iterator[Flaw]:
    """A YOLO label file: ``class x y width height`` a line, the box by its middle, in 0–1."""
    written = text.decode("utf-8", "replace").splitlines()
    lines = [line.split() for line in written[:MOST_LINES]]
    if len(written) > MOST_LINES:
        says = f"it has {len(written)} lines, one per object; those after the first {MOST_LINES} were not checked"
        yield Flaw("counts-differ", path, says)
    for index, words in enumerate(lines):
        for slug, says in _yolo_problems(words, classes) if words else ():
            yield Flaw(slug, path, f"line {index + 1}: {says}", index)
    for index in repeats(" ".join(words) or None for words in lines):
        yield Flaw("duplicate", path, f"line {index + 1} is duplicated", index)
    if near.find(SAME_NAME, ("images", ".")) is None:
        yield Flaw("file-missing", path, "no picture has this name")


def _yolo_problems(words: Sequence[str], classes: int | None) -> Iterator[Problem]:
    outline = len(words) > max(YOLO_WORDS) and len(words) % 2 == 1
    if len(words) not in YOLO_WORDS and not outline:
        yield "counts-differ", f"{len(words)} words, 5 are expected"
        return
    label, numbers = _number(words[0]), [_number(word) for word in words[1:]]
    if not label.is_integer() or label < 0 or (classes is not None and label >= classes):
        yield "label-unknown", f"class {words[0]} is not in the label map"
    if outline:
        if not all(map(math.isfinite, numbers)):
            yield "box-not-finite", "its outline has a coordinate that is not a number"
            return
        across, down = numbers[::2], numbers[1::2]
        yield from problems_in_unit_square(Box(min(across), min(down), max(across), max(down)))
        return
    x, y, width, height = numbers[:4]
    if width < 0 or height < 0:
        yield "box-inverted", f"its box has a negative side ({width:g}×{height:g})"
        return
    yield from problems_in_unit_square(
        Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2)
    )


def looks_like_yolo(path: str, text: bytes, near: Neighbours) -> bool:
    """Whether a text file holds boxes: most of its words are numbers, five or six in a line.

    Numbers alone do not tell: beside a picture of the same name, or in a folder of labels, they are boxes, though some be wrong; elsewhere they are
    if they could be.
    """
    lines = [line.split() for line in text[:20_000].decode("utf-8", "replace").splitlines()[:20]]
    filled = [words for words in lines if words]
    if not any(len(words) in YOLO_WORDS for words in filled):
        return False
    # Where a comma stands for the point, they are numbers to a person.
    numeric = [_is_number(word.replace(",", ".")) for words in filled for word in words]
    if sum(numeric) <= MOSTLY * len(numeric):
        return False
    if near.find(SAME_NAME, ("images", ".")) or DARKNET_FOLDERS[0] in path.split(os.sep)[:-1]:
        return True
    return all(_may_be_box(words) for words in filled)


def _may_be_box(words: Sequence[str]) -> bool:
    return words[0].isdigit() and all(0 <= _number(word) <= 1 for word in words[1:])


def _image_of(
    path: str,
    near: Neighbours,
    name: str,
    width: Any,
    height: Any,
    folders: Sequence[str] = ("images", "."),
) -> Iterator[Flaw]:
    """The picture that an annotation speaks of: is it there, and as large as it says?"""
    if not name:
        return
    found = near.find(name, folders)
    if found is None:
        yield Flaw("file-missing", path, f"the picture {name!r} does not exist")
        return
    told = _number(width), _number(height)
    real = _size_of(found)
    if real is not None and all(map(math.isfinite, told)) and min(told) > 0 and told != real:
        swapped = " (width and height are swapped)" if told == real[::-1] else ""
        says = f"says {told[0]:g}×{told[1]:g} for {name!r}, the picture is {real[0]}×{real[1]}{swapped}"
        yield Flaw("size-disagrees", path, says)


def _size_of(path: str) -> tuple[int, int] | None:
    from PIL import Image

    try:
        with Image.open(path) as image:
            return int(image.size[0]), int(image.size[1])
    except Exception:  # the picture has its own flaw, told where it is checked
        return None


def _key(value: Any) -> Key:
    """A number or a name that others refer to; whatever else stands there cannot be referred to."""
    return value if isinstance(value, int | str) else json.dumps(value)


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return math.nan


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True
