"""Sizes as people and programs write them: ``800MB``, ``1.5 GB``, ``2GiB``. The only reader of them (a test holds that)."""

from __future__ import annotations

import re

from outlive.errors import UsageError

#: Powers of ten, as disks and clouds count; with an ``i`` powers of two, as Linux, NumPy and Kubernetes count.
POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5, "e": 6}

#: No machine has more, and no system call takes more.
MOST_BYTES = 2**63 - 1

#: More of nonsense is not repeated to its author.
MOST_SHOWN = 60

WRITTEN = re.compile(
    r"\s{0,20}(?P<number>(?:[0-9][0-9_]{0,40}\.?[0-9]{0,40}|\.[0-9]{1,40})(?:e\+?[0-9]{1,2})?)"
    r"\s{0,20}(?P<power>[kmgtpe]?)(?P<binary>i?)(?:b|bytes?)?\s{0,20}"
)


def bytes_in(written: int | float | str, least: int = 1) -> int:
    """Return the bytes that a size means."""
    found = None if isinstance(written, bool) else size_in(str(written))
    if found is None or found < least:
        shown = str(written)
        shown = shown if len(shown) <= MOST_SHOWN else f"{shown[:MOST_SHOWN]}…"
        raise UsageError(f"{shown!r} is not a size.", "Write 800MB, 1.5GB (1GB = 10^9) or 2GiB (1GiB = 2^30).")  # fmt: skip
    return found


def size_in(text: str) -> int | None:
    """Return the bytes that a text means; None if it is not a size, or larger than any."""
    found = WRITTEN.fullmatch(text.lower())
    if found is None or (found["binary"] and not found["power"]):
        return None
    from decimal import Decimal  # exact: 0.1GB is 100,000,000

    step = (1024 if found["binary"] else 1000) ** POWERS[found["power"]]
    count = int(Decimal(found["number"]) * step)
    return count if count <= MOST_BYTES else None
