"""Pictures with what was found in them: annotated copies, and a sheet of the best."""

from __future__ import annotations

import hashlib
import heapq
import importlib
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from outlive.detecting.detections import Found

COLOURS = ("#e6194b", "#3cb44b", "#4363d8", "#f58231", "#911eb4", "#008080", "#9a6324", "#800000")

#: An annotated copy has at most this many pixels a side.
LARGEST_SIDE = 2000

#: The contact sheet.
ON_A_SHEET = 24
COLUMNS = 6
THUMBNAIL = 256
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
        place = (corners[0] + thick, max(0.0, corners[1] - 12))
        pen.rectangle(pen.textbbox(place, words), fill=colour)
        pen.text(place, words, fill="white")
    beside = f"{path}.new"
    image.save(beside, "JPEG", quality=88)
    os.replace(beside, path)


def make_sheet(folder: str, rows: Iterable[tuple[str, Mapping[str, Any]]]) -> str | None:
    """One picture of the best ones, out of their annotated copies."""
    best = heapq.nlargest(
        ON_A_SHEET,
        ((max((one[1] for one in value["detections"]), default=0.0), name) for name, value in rows),
    )
    chosen = [
        path
        for score, name in best
        if score and os.path.exists(path := os.path.join(folder, FOLDER_NAME, copy_name(name)))
    ]
    if not chosen:
        return None
    image_module: Any = importlib.import_module("PIL.Image")
    columns = min(COLUMNS, len(chosen))
    lines = -(-len(chosen) // columns)
    sheet = image_module.new("RGB", (columns * THUMBNAIL, lines * THUMBNAIL), "white")
    for number, path in enumerate(chosen):
        with image_module.open(path) as image:
            image.thumbnail((THUMBNAIL - 8, THUMBNAIL - 8))
            left = number % columns * THUMBNAIL + (THUMBNAIL - image.width) // 2
            top = number // columns * THUMBNAIL + (THUMBNAIL - image.height) // 2
            sheet.paste(image, (left, top))
    path = os.path.join(folder, SHEET_NAME)
    sheet.save(f"{path}.new", "JPEG", quality=88)
    os.replace(f"{path}.new", path)
    return path
