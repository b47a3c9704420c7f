"""The verdict on a job as JSON (schema `outlive.job/1`); the manual says what each field means."""

from __future__ import annotations

import json
from typing import Any

from outlive.model.findings import Place
from outlive.model.ranks.job import JobVerdict, RankVerdict
from outlive.model.verdict_json import finding_data

SCHEMA = "outlive.job/1"


def to_data(verdict: JobVerdict) -> dict[str, Any]:
    """The verdict as plain data."""
    first = verdict.first
    return {
        "schema": SCHEMA,
        "job": verdict.job,
        "launcher": verdict.launcher,
        "size": verdict.size,
        "attempt": verdict.attempt,
        "ended": verdict.ended,
        "first": first.record.rank if first is not None else None,
        "order": verdict.order.value,
        "confidence": verdict.confidence.name.lower() if verdict.confidence else None,
        "how": list(verdict.how),
        "ranks": [_rank(it) for it in verdict.ranks],
    }


def to_json(verdict: JobVerdict) -> str:
    """Write the verdict on a job as one JSON object."""
    text = json.dumps(to_data(verdict), indent=1, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode()


def _rank(it: RankVerdict) -> dict[str, Any]:
    record = it.record
    ending = record.ending
    return {
        "rank": record.rank,
        "part": it.part.value,
        "says": it.says,
        "where": _place(it.where),
        "host": record.host or None,
        "run": record.run or None,
        "state": record.state.value,
        "began": record.began,
        "ended": record.ended,
        "ending": None
        if ending is None
        else {"kind": ending.kind.value, "signal": ending.signal, "exit_code": ending.exit_code},
        "cause": finding_data(record.cause) if record.cause is not None else None,
        "lost": record.lost or None,
    }


def _place(place: Place | None) -> dict[str, Any] | None:
    if place is None:
        return None
    return {"file": place.file, "line": place.line, "function": place.function, "code": place.code}
