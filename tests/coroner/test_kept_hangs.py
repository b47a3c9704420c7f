"""A hang that stood is kept when a signal ends it, and forgotten when the program goes on by itself."""

from __future__ import annotations

from typing import Any

import pytest

from made_evidence import readings
from outlive.coroner.gather.gather import gather
from outlive.model.evidence import Evidence


def hung(*between: dict[str, Any], **end: Any) -> Evidence:
    run, ending, gone = readings(**end)
    hang = {"kind": "hang", "at": 3.0, "seconds": 2.0, "cpu_share": 0.0, "tasks": {}}
    return gather([run, hang, *between, ending, gone], None)


def signal_at(at: float, number: int = 2) -> dict[str, Any]:
    return {"kind": "signal", "at": at, "signal": number}


MOVING = {"kind": "moving", "at": 5.5}


@pytest.mark.parametrize(
    ("between", "end"),
    [
        pytest.param([signal_at(5.0)], {"killed": 2}, id="ended at once"),
        pytest.param([signal_at(5.0), MOVING], {"killed": None, "exit_code": 130}, id="a handler"),
        pytest.param([signal_at(5.0, 15), MOVING], {"killed": None, "exit_code": 1}, id="SIGTERM"),
        pytest.param([], {"killed": 9}, id="killed"),
    ],
)
def test_a_hang_that_a_signal_ended_is_kept(
    between: list[dict[str, Any]], end: dict[str, Any]
) -> None:
    assert hung(*between, **end).waits.stuck is not None


@pytest.mark.parametrize(
    ("between", "end"),
    [
        pytest.param([MOVING], {"killed": 9}, id="it went on by itself"),
        pytest.param([MOVING, signal_at(6.0)], {"killed": 2}, id="it went on before the signal"),
        pytest.param([signal_at(5.0), MOVING], {"killed": 9, "at": 500.0}, id="it went on long after"),
        pytest.param([signal_at(5.0)], {"killed": None, "exit_code": 0}, id="it had waited for it"),
        pytest.param([], {"killed": None, "exit_code": 1}, id="nobody ended it"),
    ],
)  # fmt: skip
def test_a_hang_that_was_none_in_the_end_is_not(
    between: list[dict[str, Any]], end: dict[str, Any]
) -> None:
    assert hung(*between, **end).waits.stuck is None
