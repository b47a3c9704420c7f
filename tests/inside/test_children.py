"""How a worker ended, as its parent saw it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from outlive.coroner.gather.processes import children_of
from outlive.coroner.readings.readings import Readings


@pytest.mark.parametrize(
    ("code", "sent", "asked"),
    [(-15, 15, True), (-9, 9, True), (-11, 15, False), (-9, 15, False), (3, 15, True)],
    ids=["asked", "killed", "was crashing", "killed by another", "left when asked"],
)
def test_a_worker_that_was_dying_when_it_was_asked_to_end_did_not_end_of_that(
    code: int, sent: int, asked: bool
) -> None:
    notes: dict[str, list[dict[str, Any]]] = {
        "child": [{"child": 7, "code": code, "asked": True}],
        "kill": [{"target": 7, "signal": sent}],
    }
    parent = SimpleNamespace(pid=1, of_kind=lambda kind: notes.get(kind, []))
    empty = Readings([], None)
    readings: Any = SimpleNamespace(
        processes=[parent], lines=empty.lines, since_start=empty.since_start
    )

    (child,) = children_of(readings)

    assert asked == child.asked
