"""Outlive: `outlive run --quiet` around the program, then `outlive why --json`.

A program that stands still is watched with `--hang-after`; the answer is what was told while it stood.
Unfair to everybody else: the victims are those that Outlive's own causes are tested with. Use `--set blind` beside them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from tool import Answer, Ended, Tool

OUTLIVE = [sys.executable, "-m", "outlive"]
HANGING = "told-while-it-hung.json"


class Adapter(Tool):
    def wrap(self, hang_after: float | None) -> list[str]:
        watched = ["--hang-after", f"{hang_after:g}"] if hang_after else []
        return [*OUTLIVE, "run", "--quiet", *watched, "--"]

    def environment(self, folder: Path) -> dict[str, str]:
        return {"OUTLIVE_HOME": str(folder)}

    def is_ready(self, folder: Path) -> bool:
        return any(folder.rglob("*.native"))

    def has_told_of_a_hang(self, folder: Path) -> bool:
        for told in folder.glob("runs/*/verdict.json"):
            (folder / HANGING).write_text(told.read_text())
            return True
        return False

    def answer(self, ended: Ended) -> Answer:
        hanging = ended.folder / HANGING
        return read(hanging.read_text() if hanging.exists() else _why(ended.folder), ended.script)


def _why(home: Path) -> str:
    environment = os.environ | {"OUTLIVE_HOME": str(home)}
    asked = [*OUTLIVE, "why", "--json"]
    done = subprocess.run(
        asked, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    return done.stdout


def read(verdict: str, script: str) -> Answer:
    """The first finding, and its line where that is in the victim's file."""
    cause = json.loads(verdict)["cause"]
    if cause is None:
        return Answer()
    where = cause["where"]
    own = where is not None and Path(where["file"]).name == script
    return Answer(cause["slug"], where["line"] if own else None)
