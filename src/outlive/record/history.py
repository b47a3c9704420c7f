"""What the program was doing over time: for the curve of its memory, not for the causes."""

from __future__ import annotations

from collections.abc import Sequence

from outlive.observed import Moment
from outlive.record.readings import Payload, Readings, integer
from outlive.record.traces import stacks_at


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
            stacks = stacks_at(record, readings.lines, at, principal.pid if principal else 0)
            place = next((own for stack in stacks if (own := stack.own)), None)
        found.append(Moment(at, place, integer(record.get("rss"))))
    return tuple(found)
