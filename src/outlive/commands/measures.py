"""What people type for a moment, a span of time and a size: ``2h``, ``2026-11-16``, ``200MB``."""

from __future__ import annotations

import datetime
import re
import time

import click

SECONDS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}
BYTES = {"": 1, "b": 1, "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "k": 1e3, "m": 1e6, "g": 1e9}
NUMBER = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*")


def moment(text: str) -> float:
    """A moment in the past, as seconds since 1970: a span before now, a day, or a day and a time."""
    found = NUMBER.fullmatch(text)
    if found and found[2].lower() in SECONDS:
        return time.time() - float(found[1]) * SECONDS[found[2].lower()]
    try:
        return datetime.datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        raise click.BadParameter(
            f"{text!r} is no moment. Write 90m, 2h, 3d, 2w, 2026-11-16 or 2026-11-16T08:30."
        ) from None


def byte_count(text: str) -> int:
    """A number of bytes."""
    found = NUMBER.fullmatch(text)
    if found is None or found[2].lower() not in BYTES:
        raise click.BadParameter(f"{text!r} is no size. Write 200MB or 1.5GB.")
    return int(float(found[1]) * BYTES[found[2].lower()])
