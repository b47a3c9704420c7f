"""The results as a file, made of the journal piece by piece: Parquet, JSON lines, CSV, COCO. Memory does not grow with their number."""

from __future__ import annotations

import csv
import importlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TextIO

from outlive.data.atomic_file import replacing
from outlive.errors import OutliveError
from outlive.jobs.results_journal import sync_folder

FORMATS = ("parquet", "jsonl", "csv", "coco")
NAMES = {
    "parquet": "results.parquet",
    "jsonl": "results.jsonl",
    "csv": "results.csv",
    "coco": "results.coco.json",
}

#: Inputs in one group of rows.
ROWS = 4096

Row = tuple[str, Mapping[str, Any]]
Rows = Callable[[], Iterator[Row]]


def rows_of(records: Iterator[Mapping[str, Any]]) -> Iterator[Row]:
    """Each input and its answer."""
    for record in records:
        yield from record["done"]


def need_arrow() -> None:
    """Say at the start what would be missing at the end."""
    try:
        importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise OutliveError(
            "Parquet is written with pyarrow, which is not installed.",
            "pip install 'outlive[detect]'   or choose --format jsonl, csv or coco.",
        ) from error


def seal(
    folder: str,
    format: str,
    records: Callable[[], Iterator[Mapping[str, Any]]],
    labels: Mapping[int, str],
) -> str:
    """Write the results as a whole, or not at all; the path of the file."""
    path = os.path.join(folder, NAMES[format])

    def rows() -> Iterator[Row]:
        return rows_of(records())

    with replacing(path) as beside:
        if format == "parquet":
            _parquet(beside, rows, labels)
        else:
            with open(beside, "w", encoding="utf-8", errors="surrogateescape", newline="") as file:
                WRITERS[format](file, rows, labels)
        handle = os.open(beside, os.O_RDONLY)
        os.fsync(handle)
        os.close(handle)
    sync_folder(folder)
    return path


def as_objects(value: Mapping[str, Any], labels: Mapping[int, str]) -> list[dict[str, Any]]:
    """The detections of one input, each with its parts named."""
    return [
        {
            "label": int(label),
            "name": labels.get(int(label), ""),
            "score": score,
            "ymin": top,
            "xmin": left,
            "ymax": bottom,
            "xmax": right,
        }
        for label, score, top, left, bottom, right in value["detections"]
    ]


def _parquet(path: str, rows: Rows, labels: Mapping[int, str]) -> None:
    arrow: Any = importlib.import_module("pyarrow")
    parquet: Any = importlib.import_module("pyarrow.parquet")
    number = arrow.float32()
    objects = arrow.struct(
        [
            ("label", arrow.int32()),
            ("name", arrow.string()),
            ("score", number),
            ("ymin", number),
            ("xmin", number),
            ("ymax", number),
            ("xmax", number),
        ]
    )
    schema = arrow.schema(
        [
            ("input", arrow.string()),
            ("width", arrow.int32()),
            ("height", arrow.int32()),
            ("detections", arrow.list_(objects)),
        ]
    )
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for group in _in_groups(rows()):
            table = [
                {
                    # A name that is not valid UTF-8 is written as Python's repr shows it: Parquet stores UTF-8 only.
                    "input": name.encode("utf-8", "backslashreplace").decode(),
                    "width": value["width"],
                    "height": value["height"],
                    "detections": as_objects(value, labels),
                }
                for name, value in group
            ]
            writer.write_table(arrow.Table.from_pylist(table, schema=schema))


def _in_groups(rows: Iterator[Row]) -> Iterator[list[Row]]:
    group: list[Row] = []
    for row in rows:
        group.append(row)
        if len(group) >= ROWS:
            yield group
            group = []
    if group:
        yield group


def _jsonl(file: TextIO, rows: Rows, labels: Mapping[int, str]) -> None:
    for name, value in rows():
        told = {**value, "input": name, "detections": as_objects(value, labels)}
        file.write(json.dumps(told) + "\n")


#: A spreadsheet takes a cell that begins so for a formula, and runs it.
FORMULA = ("=", "+", "-", "@", "\t", "\r")
#: What a terminal would obey when the file is shown on it.
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def _cell(text: str) -> str:
    """A text as a spreadsheet shows it: one that it would run gets an apostrophe in front."""
    shown = CONTROL.sub(lambda found: ascii(found[0])[1:-1], text)
    return f"'{shown}" if shown.startswith(FORMULA) else shown


def _csv(file: TextIO, rows: Rows, labels: Mapping[int, str]) -> None:
    """One row an object; an input without any has one row with nothing in it."""
    columns = ("label", "name", "score", "ymin", "xmin", "ymax", "xmax")
    writer = csv.writer(file)
    writer.writerow(("input", "width", "height", *columns))
    for name, value in rows():
        head = (_cell(name), value["width"], value["height"])
        objects = as_objects(value, {label: _cell(text) for label, text in labels.items()})
        writer.writerows((*head, *(one[column] for column in columns)) for one in objects)
        if not objects:
            writer.writerow((*head, *("" for _ in columns)))


def _coco(file: TextIO, rows: Rows, labels: Mapping[int, str]) -> None:
    """One JSON object, written as it goes: the rows are read once for the images and once for what is in them."""
    categories: dict[int, str] = dict(labels)
    file.write('{"images": [')
    for number, (name, value) in enumerate(rows(), 1):
        image = {
            "id": number,
            "file_name": name,
            "width": value["width"],
            "height": value["height"],
        }
        file.write(("," if number > 1 else "") + "\n" + json.dumps(image))
    file.write('\n], "annotations": [')
    count = 0
    for number, (_, value) in enumerate(rows(), 1):
        for one in as_objects(value, labels):
            categories.setdefault(one["label"], "")
            count += 1
            told = _annotation(count, number, value, one)
            file.write(("," if count > 1 else "") + "\n" + json.dumps(told))
    named = [
        {"id": label, "name": text or str(label)} for label, text in sorted(categories.items())
    ]
    file.write('\n], "categories": [\n' + ",\n".join(json.dumps(one) for one in named) + "\n]}\n")


def _annotation(
    count: int, image: int, value: Mapping[str, Any], one: Mapping[str, Any]
) -> dict[str, Any]:
    """One object in pixels, as COCO has it: left, top, width, height."""
    width, height = value["width"], value["height"]
    left, top = one["xmin"] * width, one["ymin"] * height
    box = [left, top, one["xmax"] * width - left, one["ymax"] * height - top]
    return {
        "id": count,
        "image_id": image,
        "category_id": one["label"],
        "bbox": [round(side, 2) for side in box],
        "area": round(box[2] * box[3], 2),
        "iscrowd": 0,
        "score": one["score"],
    }


WRITERS: Mapping[str, Callable[[TextIO, Rows, Mapping[int, str]], None]] = {
    "jsonl": _jsonl,
    "csv": _csv,
    "coco": _coco,
}
