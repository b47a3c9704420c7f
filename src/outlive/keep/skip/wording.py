"""How an element that was skipped, and its error, are told to a person."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from typing import Any

#: The name of an element has as many of its values.
MOST_VALUES = 6
LONGEST_VALUE = 300

#: How the error of a file that is not there begins, as ``told`` tells it: what follows names the file.
NOT_THERE = ("NotFoundError:", "FileNotFoundError:")


def name_of(origin: Any, values: Sequence[Any], error: str = "") -> dict[str, Any]:
    """A file and a record, or the values of the element themselves. A file that is not there is known by the error that says so."""
    text = as_text(origin)
    path, mark, number = text.rpartition("#")
    if mark and number.isdigit() and path:
        return {"file": path, "record": int(number)}
    texts = [text for text in map(as_text, values) if text]
    missing = error.startswith(NOT_THERE)
    file = next(
        (
            one
            for one in [text, *texts]
            if one and (os.path.exists(one) or (missing and one in error))
        ),
        None,
    )
    if file is not None:
        return {"file": file}
    return {"element": texts[:MOST_VALUES] or text}


def as_text(value: Any) -> str:
    """A value as a person reads it."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")[:LONGEST_VALUE]
    shape = getattr(value, "shape", ())
    if shape:
        # With what tells it from others of its shape: each is named and counted by itself.
        content = zlib.crc32(
            value.tobytes() if value.dtype != object else str(value.tolist()).encode()
        )
        return f"{value.dtype} of shape {tuple(shape)}, crc32 {content:08x}"
    return str(value)[:LONGEST_VALUE]


def told(error: BaseException) -> str:
    """The first words of an error, without where in a graph it came up."""
    if isinstance(
        error, UnicodeDecodeError
    ):  # TensorFlow's own words, with bytes of the element in them
        message = error.object.decode("utf-8", "backslashreplace").strip().splitlines()[0]
        return message.rpartition("}} ")[2] or message
    message = str(getattr(error, "message", "") or error).strip()
    lines = [line.strip() for line in message.partition("[[{{node")[0].splitlines()]
    lines = [line for line in lines if line]
    words = "" if not lines else lines[-1] if message.startswith("Graph exec") else lines[0]
    words = words.rpartition("}} ")[2].partition(" [Op:")[0] or words
    return f"{type(error).__name__}: {words}"
