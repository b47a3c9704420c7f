"""Label maps: ``.pbtxt`` of the Object Detection API, a plain list of names, or names by number."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from outlive.errors import UsageError

ITEM = re.compile(r"item\s*:?\s*\{(.*?)\}", re.DOTALL)
#: How lists name a number that no class has, as TensorFlow Lite's do.
NOBODY = "???"
BACKGROUND = (NOBODY, "background")

NUMBER = re.compile(r"\bid\s*:\s*(\d+)")
NAME = re.compile(r"\b(display_name|name)\s*:\s*(?:\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)')")


def read_label_map(path: str) -> Mapping[int, frozenset[str]]:
    """Numbers and the names that go with each. A plain list is counted from 1, as TensorFlow's detectors do; its background is 0."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(10_000_000)
    except OSError as error:
        raise UsageError(f"The label map {path} cannot be read: {error.strerror}.") from error
    found = _pbtxt(text) if ITEM.search(text) else _json(text) or _lines(text)
    if not found:
        raise UsageError(
            f"The label map {path} holds no label.",
            "Give a .pbtxt with items, a JSON object, or one name a line.",
        )
    return found


def _pbtxt(text: str) -> Mapping[int, frozenset[str]]:
    found = {}
    for item in ITEM.findall(text):
        number = NUMBER.search(item)
        if number:
            names = {double or single for _, double, single in NAME.findall(item)}
            found[int(number[1])] = frozenset(names)
    return found


def _json(text: str) -> Mapping[int, frozenset[str]]:
    try:
        data = json.loads(text)
    except ValueError:
        return {}
    if isinstance(data, list):
        return _counted([str(name) for name in data])
    if isinstance(data, dict):
        return {
            int(number): frozenset({str(name)})
            for number, name in data.items()
            if str(number).isdigit()
        }
    return {}


def _lines(text: str) -> Mapping[int, frozenset[str]]:
    return _counted([line.strip() for line in text.splitlines() if line.strip()])


def _counted(names: list[str]) -> Mapping[int, frozenset[str]]:
    """From 1; a list that begins with the background gives it its place, 0, and would move all others by one otherwise."""
    first = 0 if names and names[0].strip("_").lower() in BACKGROUND else 1
    return {
        number: frozenset({name})
        for number, name in enumerate(names, first)
        if number > 0 and name != NOBODY
    }
