"""Readings of what the watches said while the program ran -> evidence."""

from __future__ import annotations

from outlive.coroner.readings.readings import Readings, number
from outlive.inside.notes import kinds
from outlive.model.events import Warned


def warnings_of(readings: Readings) -> tuple[Warned, ...]:
    """What was said, in order."""
    return tuple(
        Warned(
            slug=str(note.get("slug", "")),
            says=str(note.get("says", "")),
            at=number(note.get("at")) or 0.0,
            facts=tuple((name, value, source) for name, value, source in note.get("facts") or ()),
            remedies=tuple(
                (text, tuple(commands)) for text, commands in note.get("remedies") or ()
            ),
        )
        for note in readings.all(kinds.WARNING)
    )
