"""Readings -> evidence: what the program has saved and read, and how it asks for its processes. What a new start may rest on."""

from __future__ import annotations

from outlive.coroner.readings.readings import Payload, Readings
from outlive.inside.notes import kinds
from outlive.model.events import Checkpoint, Saving
from outlive.model.findings import Place


def saving_of(readings: Readings) -> Saving:
    """The checkpoints of the program, and whether it can make one when it is asked."""
    asks = {str(note.get("how", "")) for note in _notes(readings, kinds.CAN_SAVE)}
    return Saving(
        asks=tuple(sorted(asks)),
        handled=bool(_notes(readings, kinds.HANDLED)),
        saved=_checkpoints(readings, kinds.SAVED),
        restored=_checkpoints(readings, kinds.RESTORED),
    )


def _checkpoints(readings: Readings, kind: kinds.Kind) -> tuple[Checkpoint, ...]:
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
    for note in _notes(readings, kinds.FORK_BY_NAME):
        places = readings.lines.places(note.get("frames"))
        own = next((place for place in places if place.own), None)
        elsewhere = [place for place in places if "/multiprocessing/" not in place.file]
        for place in [own] if own is not None else elsewhere[:1]:
            found[place] = None
    return tuple(found)


def _notes(readings: Readings, kind: kinds.Kind) -> list[Payload]:
    return [note for process in readings.processes for note in process.of_kind(kind)]
