"""What the program was doing over time: for the curve of its memory, not for the causes."""

from __future__ import annotations

from collections.abc import Sequence

from outlive.coroner.readings.readings import Payload, Readings, integer
from outlive.coroner.readings.source_lines import SourceLines
from outlive.model.events import Moment
from outlive.model.findings import Place


def moments(payloads: Sequence[Payload], rings: str | None) -> tuple[Moment, ...]:
    """The user's line that ran, at every change of it that is still in the ring, oldest first."""
    readings = Readings(payloads, rings)
    principal = readings.principal
    found: list[Moment] = []
    place = None
    for record in principal.stacks if principal else ():
        at = readings.since_start(record.get("time"))
        if at is None:
            continue
        if not record.get("same"):
            place = _running(record, readings.lines)
        found.append(Moment(at, place, integer(record.get("rss"))))
    return tuple(found)


def _running(record: Payload, lines: SourceLines) -> Place | None:
    """The user's innermost line, of the main thread first; no more frames are looked at than it takes to find it."""
    threads = sorted(record.get("threads", ()), key=lambda thread: not thread.get("main"))
    places = (lines.place(frame) for thread in threads for frame in thread.get("frames", ()))
    return next((place for place in places if place.own), None)
