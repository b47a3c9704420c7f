"""The files in which whoever tried to do harm leaves its counts, for `make trust`: one a part, in ``.harmless``."""

from __future__ import annotations

import json
import platform
import time
from collections.abc import Mapping
from pathlib import Path

from outlive import __version__


def write_figures(folder: Path, part: str, counts: Mapping[str, float]) -> None:
    """Write what was counted for one part, with today's date and the versions."""
    told = {"part": part, "date": time.strftime("%Y-%m-%d"), "version": __version__}
    figures = {**told, "python": platform.python_version(), "counts": dict(counts)}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{part}.json").write_text(json.dumps(figures, indent=1) + "\n")
