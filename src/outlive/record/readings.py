"""Everything that was recorded of one run, still as plain data: the supervisor's log, the rings, the crash files."""

from __future__ import annotations

import glob
import os
import signal
from collections.abc import Mapping, Sequence
from typing import Any

from outlive.model import Value
from outlive.record.archive import sources_in
from outlive.record.format import read_frames
from outlive.record.masking import secrets_of
from outlive.record.notebook import notebook_in
from outlive.record.shimmed import read_all
from outlive.record.traces import SourceLines

Payload = Mapping[str, Any]


class ProcessRecord:
    """What one Python process wrote into its rings."""

    def __init__(self, path: str) -> None:
        frames = [frame.payload for frame in read_frames(path)]
        self.notes = [payload for payload in frames if payload.get("kind") != "stack"]
        self.stacks = sorted(
            (payload for payload in frames if payload.get("kind") == "stack"),
            key=lambda payload: number(payload.get("time")) or 0.0,
        )
        self.pid = next((note["pid"] for note in self.notes if isinstance(note.get("pid"), int)), 0)
        self.introduction = next((note for note in self.notes if note.get("kind") == "process"), {})

    def of_kind(self, kind: str) -> list[Payload]:
        """The notes of one kind, in order."""
        return [note for note in self.notes if note.get("kind") == kind]


class Readings:
    """Everything that was recorded of one run, still as plain data."""

    def __init__(self, payloads: Sequence[Payload], rings: str | None) -> None:
        self.samples = sorted(
            (payload for payload in payloads if payload.get("kind") == "sample"),
            key=lambda payload: number(payload.get("at")) or 0.0,
        )
        self._others = [payload for payload in payloads if payload.get("kind") != "sample"]
        self.run = self.one("run")
        self.hang = self._last_hang()
        self.end = self.one("end") or self.hang
        self.exit = self.one("exit")
        self.rings = rings
        self.processes = _process_records(rings)
        self.shimmed = read_all(rings, secrets_of(os.environ))
        self.faults = _fault_texts(rings)
        libraries = [
            str(folder)
            for process in self.processes
            for folder in process.introduction.get("libraries", ())
        ]
        self.notebook = notebook_in(rings)
        self.lines = SourceLines(str(self.run.get("folder", "")), libraries, self.notebook)
        for path, text in sources_in(payloads).items():
            self.lines.remember(path, text)
        for process in self.processes:
            for census in process.of_kind("census"):
                for file, text in dict(census.get("sources") or {}).items():
                    self.lines.remember(str(file), str(text))

    def _last_hang(self) -> Payload:
        """When the program was last seen to stand still, unless it went on again."""
        seen = [payload for payload in self._others if payload.get("kind") in ("hang", "moving")]
        return seen[-1] if seen and seen[-1].get("kind") == "hang" else {}

    def one(self, kind: str) -> Payload:
        """The only record of a kind, or an empty one."""
        return next((payload for payload in self._others if payload.get("kind") == kind), {})

    def all(self, kind: str) -> list[Payload]:
        """All records of a kind."""
        return [payload for payload in self._others if payload.get("kind") == kind]

    def since_start(self, moment: Any) -> float | None:
        """A wall-clock time as seconds since the start."""
        began, now = number(self.run.get("time")), number(moment)
        return round(now - began, 3) if began is not None and now is not None else None

    @property
    def folder(self) -> str:
        """Where the program was started."""
        return str(self.run.get("folder", ""))

    @property
    def pid(self) -> int:
        """The process that was started."""
        return int(number(self.run.get("pid")) or 0)

    @property
    def principal(self) -> ProcessRecord | None:
        """The Python process that the run is about: the one that was started, else the first that it led to."""
        mine = [process for process in self.processes if process.pid == self.pid]
        return next(iter(mine or self.processes), None)


def _process_records(rings: str | None) -> list[ProcessRecord]:
    found = []
    for path in sorted(glob.glob(os.path.join(glob.escape(rings), "*.ring"))) if rings else ():
        try:
            found.append(ProcessRecord(path))
        except OSError:
            continue
    return sorted(found, key=lambda process: number(process.introduction.get("time")) or 0.0)


def _fault_texts(rings: str | None) -> list[tuple[int, str]]:
    found = []
    for path in sorted(glob.glob(os.path.join(glob.escape(rings), "*.fault"))) if rings else ():
        try:
            with open(path, "rb") as file:
                text = file.read(1 << 20).decode("utf-8", "replace")
        except OSError:
            continue
        number = os.path.basename(path).partition("-")[0]
        if text and number.isdigit():
            found.append((int(number), text))
    return found


def signal_name(number: int) -> str:
    """``SIGKILL`` for 9; real-time signals by their number."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"


def number(value: Any) -> float | None:
    """A number as a float; anything else is missing."""
    return float(value) if isinstance(value, (int, float)) else None


def integer(value: Any) -> int | None:
    """A whole number; anything else is missing."""
    return value if isinstance(value, int) else None


def plain_value(value: Any) -> Value:
    """A value that a fact can hold; anything else is missing."""
    return value if isinstance(value, (str, int, float, bool)) else None


def confession(rings: str | None) -> str:
    """What the recorder said when it could not be loaded in the program."""
    for path in sorted(glob.glob(os.path.join(glob.escape(rings), "*.failed"))) if rings else ():
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                return f"the recorder failed to load in the program: {file.read(500)}"
        except OSError:
            continue
    return ""
