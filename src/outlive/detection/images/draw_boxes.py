"""Pictures with what was found in them: annotated copies, and a sheet of the best."""

from __future__ import annotations

import hashlib
import heapq
import importlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from outlive.data.atomic_file import replacing
from outlive.detection.detections import Found

COLOURS = ("#e6194b", "#3cb44b", "#4363d8", "#f58231", "#911eb4", "#008080", "#9a6324", "#800000")

#: An annotated copy has at most this many pixels a side.
LARGEST_SIDE = 2000

#: The contact sheet.
ON_A_SHEET = 24
COLUMNS = 6
THUMBNAIL = 256
CAPTION = 36  #: two rows of letters
LETTERS = 14
SHEET_NAME = "sheet.jpg"
FOLDER_NAME = "drawn"


def copy_name(name: str) -> str:
    """The name of an annotated copy: readable, and its own also when two pictures in two folders have the same."""
    stem = os.path.splitext(os.path.basename(name))[0][:80]
    return f"{stem}-{hashlib.sha256(name.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}.jpg"


def draw(path: str, array: Any, found: Sequence[Found], labels: Mapping[int, str]) -> None:
    """Write an annotated copy, as a whole or not at all."""
    image_module: Any = importlib.import_module("PIL.Image")
    drawing: Any = importlib.import_module("PIL.ImageDraw")
    image = image_module.fromarray(array)
    image.thumbnail((LARGEST_SIDE, LARGEST_SIDE))
    pen = drawing.Draw(image)
    thick = max(2, min(image.size) // 200)
    high = max(LETTERS, min(image.size) // 40)
    letters = _letters(high)
    for one in reversed(found):
        top, left, bottom, right = one.box
        corners = (
            min(left, right) * image.width,
            min(top, bottom) * image.height,
            max(left, right) * image.width,
            max(top, bottom) * image.height,
        )
        colour = COLOURS[one.label % len(COLOURS)]
        pen.rectangle(corners, outline=colour, width=thick)
        words = f"{labels.get(one.label, str(one.label))} {one.score:.2f}"
        place = (corners[0] + thick, max(0.0, corners[1] - high))
        pen.rectangle(pen.textbbox(place, words, font=letters), fill=colour)
        pen.text(place, words, fill="white", font=letters)
    with replacing(path) as beside:
        image.save(beside, "JPEG", quality=88)


def _caption(value: Mapping[str, Any], labels: Mapping[int, str]) -> str:
    """The surest object, and how many there are."""
    found = sorted(value["detections"], key=lambda one: -float(one[1]))
    if not found:
        return ""
    label, score = int(found[0][0]), float(found[0][1])
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return f"{labels.get(label, label)} {score:.2f}{more}"


def _cut(words: str, width: float, length: Callable[[str], float]) -> str:
    """What fits, with an ellipsis that every font has."""
    words = words.encode("latin-1", "replace").decode("latin-1")
    if length(words) <= width:
        return words
    while words and length(f"{words}...") > width:
        words = words[:-1]
    return f"{words}..."


def _letters(high: int) -> Any:
    """Letters of about so many pixels; an older Pillow has one size."""
    fonts: Any = importlib.import_module("PIL.ImageFont")
    try:
        return fonts.load_default(high)
    except TypeError:
        return fonts.load_default()


def make_sheet(
    folder: str, rows: Iterable[tuple[str, Mapping[str, Any]]], labels: Mapping[int, str]
) -> str | None:
    """One picture of the best ones, out of their annotated copies; below each its name and what was found."""
    best = heapq.nlargest(
        ON_A_SHEET,
        (
            (
                max((one[1] for one in value["detections"]), default=0.0),
                name,
                _caption(value, labels),
            )
            for name, value in rows
        ),
    )
    chosen = [
        (path, f"{os.path.basename(name)}\n{caption}")
        for score, name, caption in best
        if score and os.path.exists(path := os.path.join(folder, FOLDER_NAME, copy_name(name)))
    ]
    if not chosen:
        return None
    image_module: Any = importlib.import_module("PIL.Image")
    columns = min(COLUMNS, len(chosen))
    lines = -(-len(chosen) // columns)
    cell = THUMBNAIL + CAPTION
    sheet = image_module.new("RGB", (columns * THUMBNAIL, lines * cell), "white")
    drawing: Any = importlib.import_module("PIL.ImageDraw")
    pen, letters = drawing.Draw(sheet), _letters(LETTERS)
    for number, (path, caption) in enumerate(chosen):
        with image_module.open(path) as image:
            image.thumbnail((THUMBNAIL - 8, THUMBNAIL - 8))
            left, top = number % columns * THUMBNAIL, number // columns * cell
            centred = (THUMBNAIL - image.width) // 2, (THUMBNAIL - image.height) // 2
            sheet.paste(image, (left + centred[0], top + centred[1]))
        for row, words in enumerate(caption.split("\n")):
            fitting = _cut(words, THUMBNAIL - 12, lambda text: pen.textlength(text, font=letters))
            at = (left + 6, top + THUMBNAIL + row * CAPTION // 2)
            pen.text(at, fitting, fill="black", font=letters)
    path = os.path.join(folder, SHEET_NAME)
    with replacing(path) as beside:
        sheet.save(beside, "JPEG", quality=88)
    return path
