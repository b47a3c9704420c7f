"""The file that node_exporter's textfile collector reads: rewritten every few seconds, always whole."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from outlive.data.atomic_file import replacing
from outlive.model.findings import EndingKind, Verdict
from outlive.report.telemetry.exposition import exposition

#: Who scrapes does so every 15 seconds or less often; a file that is 5 seconds old is fresh.
SECONDS_BETWEEN = 5.0


class MetricsFile:
    """Told of each sample by the recorder; a file that cannot be written is said once, at the end, and harms nobody."""

    def __init__(self, path: str, run: str, command: Sequence[str], began: float) -> None:
        self._path = os.path.abspath(path)
        self._labels = {"run": run, "program": program_of(command)}
        self._began = began
        self._written: float | None = None
        self._last: tuple[Mapping[str, Any], int | None] = ({}, None)
        self._warnings: list[str] = []
        self.trouble = ""

    def saw(self, sample: Mapping[str, Any], limit_bytes: int | None) -> None:
        """A sample was taken; most are only remembered."""
        self._last = (sample, limit_bytes)
        at = float(sample.get("at", 0.0))
        if self._written is None or at - self._written >= SECONDS_BETWEEN:
            self._written = at
            self._write(None)

    def warned(self, slug: str) -> None:
        """A watch has said something; it is in the file from the next writing on."""
        self._warnings.append(slug)
        self._write(None)

    def ended(self, status: int, verdict: Verdict | None) -> None:
        """The last state, which stays."""
        end: dict[str, Any] = {"status": status}
        if verdict is not None and verdict.ending.kind is not EndingKind.SUCCESS:
            cause = verdict.cause
            end["death"] = {
                "cause": cause.slug if cause else "unknown",
                "confidence": cause.confidence.name.lower() if cause else "",
                "ending": verdict.ending.signal or verdict.ending.kind.value,
            }
        self._write(end)

    def _write(self, end: Mapping[str, Any] | None) -> None:
        sample, limit = self._last
        text = exposition(self._labels, sample, limit, self._began, end, self._warnings)
        try:
            # Until it is complete its name does not end in .prom: no collector reads it.
            with (
                replacing(self._path) as beside,
                open(beside, "w", encoding="utf-8", errors="backslashreplace") as file,
            ):
                file.write(text)
        except OSError as error:
            self.trouble = f"{self._path} could not be written: {error.strerror}"


def program_of(command: Sequence[str]) -> str:
    """What is run, without the folders and arguments that may tell too much: the script, else the command."""
    words = [word for word in command[1:] if not word.startswith("-")]
    script = next((word for word in words if word.endswith((".py", ".ipynb"))), "")
    return os.path.basename(script or command[0])
