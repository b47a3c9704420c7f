"""Everything that was recorded of one run, still as plain data: the supervisor's log, the rings, the crash files."""

from __future__ import annotations

import glob
import os
import re
import signal
from collections.abc import Mapping, Sequence
from typing import Any

from outlive.coroner.readings.notebook import notebook_in
from outlive.coroner.readings.source_lines import SourceLines
from outlive.inside.notes import kinds
from outlive.inside.notes.masking import secrets_here
from outlive.model.evidence.waits import SECONDS_TO_CLEAN_UP
from outlive.model.findings import Value
from outlive.recorder.store.archive import sources_in
from outlive.recorder.store.entries import content_of, entries
from outlive.recorder.store.note_kinds import unreadable
from outlive.recorder.store.shim_notes import read_all

Payload = Mapping[str, Any]

#: Of a process, as it stands in the names of its files.
NUMBER = re.compile(r"[0-9]{1,9}")


class ProcessRecord:
    """What one Python process wrote into its rings."""

    def __init__(self, path: str) -> None:
        frames = entries(path)
        self.notes = [payload for payload in frames if payload.get("kind") != kinds.STACK]
        self.stacks = sorted(
            (payload for payload in frames if payload.get("kind") == kinds.STACK),
            key=lambda payload: number(payload.get("time")) or 0.0,
        )
        self.pid = next((note["pid"] for note in self.notes if isinstance(note.get("pid"), int)), 0)
        self.introduction = next(
            (note for note in self.notes if note.get("kind") == kinds.PROCESS), {}
        )

    def of_kind(self, kind: kinds.Kind) -> list[Payload]:
        """The notes of one kind, in order."""
        return [note for note in self.notes if note.get("kind") == kind]


#: What people and schedulers send to a program that hangs.
ENDING_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


class Readings:
    """Everything that was recorded of one run, still as plain data."""

    def __init__(self, payloads: Sequence[Payload], rings: str | None) -> None:
        self.samples = sorted(
            (payload for payload in payloads if payload.get("kind") == kinds.SAMPLE),
            key=lambda payload: number(payload.get("at")) or 0.0,
        )
        self._others = [payload for payload in payloads if payload.get("kind") != kinds.SAMPLE]
        self.run = self.one(kinds.RUN)
        self.rings = rings
        self.processes = _process_records(rings)
        self.shimmed = read_all(rings, secrets_here())
        self.hang = self._last_hang()
        self.end = self.one(kinds.END) or self.hang
        self.exit = self.one(kinds.EXIT)
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
            for census in process.of_kind(kinds.CENSUS):
                for file, text in dict(census.get("sources") or {}).items():
                    self.lines.remember(str(file), str(text))

    @property
    def unreadable(self) -> int:
        """How many entries have not the shape that Outlive writes, and were left out."""
        notes = [note for process in self.processes for note in process.notes]
        return unreadable([*self._others, *notes, *self.shimmed]) + self.notebook.unreadable

    def _last_hang(self) -> Payload:
        """When the program was last seen to stand still, unless it went on again by itself: what it does at a signal is how it ends."""
        found: Payload = {}
        for payload in self._others:
            if payload.get("kind") == kinds.HANG:
                found = payload
            elif payload.get("kind") == kinds.MOVING and not self._signalled(found, payload):
                found = {}
        return found

    def _signalled(self, hang: Payload, moving: Payload) -> bool:
        """Whether somebody had sent a signal that ends programs, between a standstill and the next move, and it ended soon after that."""
        first, last = number(hang.get("at")) or 0.0, number(moving.get("at"))
        ended = number(self.one(kinds.END).get("at"))
        if ended is None or last is None or ended - last > SECONDS_TO_CLEAN_UP:
            return False
        from_outside = [
            number(note.get("at")) or 0.0
            for note in self.all(kinds.SIGNAL)
            if note.get("signal") in ENDING_SIGNALS
        ]
        inside = [
            self.since_start(seen.get("time")) or 0.0
            for shimmed in self.shimmed
            for seen in shimmed.get("signals", ())
            if seen.get("signal") in ENDING_SIGNALS
        ]
        return any(first <= at <= last for at in from_outside + inside)

    def one(self, kind: kinds.Kind) -> Payload:
        """The only record of a kind, or an empty one."""
        return next((payload for payload in self._others if payload.get("kind") == kind), {})

    def all(self, kind: kinds.Kind) -> list[Payload]:
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
            text = content_of(path, 1 << 20).decode("utf-8", "replace")
        except OSError:
            continue
        number = os.path.basename(path).partition("-")[0]
        if text and NUMBER.fullmatch(number):
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
            words = content_of(path, 500).decode("utf-8", "replace")
            return f"the recorder failed to load in the program: {words}"
        except OSError:
            continue
    return ""
