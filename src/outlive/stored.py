"""The verdict that was stored when a run ended."""

from __future__ import annotations

import os

from outlive.model import Verdict
from outlive.record import runs
from outlive.report.data import from_json, is_torn


def stored_verdict(folder: str) -> Verdict | None:
    """The verdict that was made when the run ended; none when the disk was full, say, and it was cut off."""
    path = os.path.join(folder, runs.VERDICT_NAME)
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read()
    except OSError:
        return None
    return None if is_torn(text) else from_json(text)
