"""Who made a Python environment: which tool has to be asked when something in it is to change."""

from __future__ import annotations

import os
import re


def made_by(prefix: str) -> tuple[str, bool]:
    """conda, uv, venv, or nothing (the system's own); and whether it is that of a uv project, whose lock file decides."""
    try:
        with open(os.path.join(prefix, "pyvenv.cfg"), encoding="utf-8", errors="replace") as file:
            settings = file.read()
    except OSError:
        settings = ""
    if os.path.isdir(os.path.join(prefix, "conda-meta")):
        maker = "conda"
    elif re.search(r"^uv\s*=", settings, re.MULTILINE):
        maker = "uv"
    else:
        maker = "venv" if settings else ""
    lock = os.path.join(os.path.dirname(prefix), "uv.lock")
    return maker, os.path.basename(prefix) == ".venv" and os.path.isfile(lock)
