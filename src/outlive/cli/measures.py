"""What people type for a moment, a span of time and a size: ``2h``, ``2026-11-16``, ``200MB``."""

from __future__ import annotations

import datetime
import re
import time

import click

from outlive.model.sizes import bytes_in

SECONDS = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86_400.0, "w": 604_800.0}
NUMBER = re.compile(r"\s{0,20}(\d{1,30}(?:\.\d{1,30})?)\s{0,20}([a-zA-Z]{0,20})\s{0,20}")


def moment(text: str) -> float:
    """A moment in the past, as seconds since 1970: a span before now, a day, or a day and a time."""
    found = NUMBER.fullmatch(text)
    if found and found[2].lower() in SECONDS:
        return time.time() - float(found[1]) * SECONDS[found[2].lower()]
    try:
        return datetime.datetime.fromisoformat(text).timestamp()
    except (ValueError, OverflowError, OSError):
        raise click.BadParameter(
            f"{text!r} is not a date or duration. Write 90m, 2h, 3d, 2w, 2026-11-16 or 2026-11-16T08:30."
        ) from None


def size_in_bytes(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> int | None:
    """Turn the value of an option, such as 2GB, into bytes; nothing stays nothing."""
    return None if value is None else bytes_in(value)


def size_or_nothing(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> int | None:
    """Read a size that may be 0."""
    return None if value is None else bytes_in(value, least=0)
