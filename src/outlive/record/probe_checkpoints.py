"""Readings -> evidence: what the program has saved and read, and how it asks for its processes. What a new start may rest on."""

from __future__ import annotations

from outlive.model import Place
from outlive.observed import Checkpoint, Saving
from outlive.record.readings import Payload, Readings


def saving_of(readings: Readings) -> Saving:
    """The checkpoints of the program, and whether it can make one when it is asked."""
    asks = {str(note.get("how", "")) for note in _notes(readings, "can-save")}
    return Saving(
        asks=tuple(sorted(asks)),
        handled=bool(_notes(readings, "handled")),
        saved=_checkpoints(readings, "saved"),
        restored=_checkpoints(readings, "restored"),
    )


def _checkpoints(readings: Readings, kind: str) -> tuple[Checkpoint, ...]:
    return tuple(
        Checkpoint(
            str(note.get("path", "")),
            str(note.get("by", "")),
            readings.since_start(note.get("time")),
        )
        for note in _notes(readings, kind)
    )


def forks_by_name_of(readings: Readings) -> tuple[Place, ...]:
    """The user's lines, or a library's where none is, that ask for a fork by its name."""
    found: dict[Place, None] = {}
    for note in _notes(readings, "fork-by-name"):
        places = readings.lines.places(note.get("frames"))
        own = next((place for place in places if place.own), None)
        elsewhere = [place for place in places if "/multiprocessing/" not in place.file]
        for place in [own] if own is not None else elsewhere[:1]:
            found[place] = None
    return tuple(found)


def _notes(readings: Readings, kind: str) -> list[Payload]:
    return [note for process in readings.processes for note in process.of_kind(kind)]
