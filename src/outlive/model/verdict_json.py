"""The verdict as JSON and back. The reader refuses what it does not know: an unknown word must not become a green tick."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from outlive.errors import RecordUnreadable
from outlive.model.findings import (
    Confidence,
    EndedBy,
    Ending,
    EndingKind,
    Fact,
    Finding,
    Place,
    Remedy,
    UnitFailure,
    Verdict,
)

SCHEMA = "outlive.verdict/1"

#: A cause that broke while it was asked: its answer is missing, which is a gap.
_BROKEN = "cause that failed: "

#: What a run is called; never a path, which somebody might write to.
_RUN = re.compile(r"[^\x00-\x1f\x7f/\\]{0,200}")
#: Larger whole numbers have no float, in which sizes are shown.
_LARGEST = 1 << 1000


def to_data(verdict: Verdict) -> dict[str, Any]:
    """The verdict as the contract in DESIGN.md writes it."""
    ending = verdict.ending
    return {
        "schema": SCHEMA,
        "run": verdict.run,
        "ending": {
            "kind": ending.kind.value,
            "signal": ending.signal,
            "exit_code": ending.exit_code,
            "by": ending.by.value,
            "detail": ending.detail,
        },
        "cause": finding_data(verdict.cause) if verdict.cause else None,
        "also": [finding_data(finding) for finding in (*verdict.findings[1:], *verdict.warnings)],
        "gaps": dict(verdict.gaps)
        | {_BROKEN + broken.slug: broken.error for broken in verdict.failures},
    }


def to_json(verdict: Verdict) -> str:
    """Write a verdict as one JSON object (schema `outlive.verdict/1`)."""
    text = json.dumps(to_data(verdict), indent=1, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode()  # half a character, as JSON escapes it


def finding_data(finding: Finding) -> dict[str, Any]:
    """One finding as plain data."""
    where = finding.where
    return {
        "slug": finding.slug,
        "confidence": finding.confidence.name.lower(),
        "says": finding.says,
        "where": None
        if where is None
        else {
            "file": where.file,
            "line": where.line,
            "function": where.function,
            "code": where.code,
        },
        **grounds_and_remedies(finding),
    }


def grounds_and_remedies(finding: Finding) -> dict[str, Any]:
    """What every finding carries, of a death or of a check."""
    return {
        "because": [
            {"name": fact.name, "value": fact.value, "source": fact.source}
            for fact in finding.because
        ],
        "remedies": [
            {"text": remedy.text, "commands": list(remedy.commands), "safe": remedy.safe}
            for remedy in finding.remedies
        ],
    }


def is_torn(text: str) -> bool:
    """Whether this was cut off while it was written: no JSON at all."""
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return True
    return False


def from_json(text: str) -> Verdict:
    """A verdict that was written by ``to_json``; anything else is an error."""
    try:
        data = json.loads(text)
        if data["schema"] != SCHEMA:
            raise RecordUnreadable(
                f"The verdict has the schema {data['schema']!r}, this Outlive reads {SCHEMA!r}.",
                "Read it with the Outlive version that wrote it.",
            )
        _only(data, "schema", "run", "ending", "cause", "also", "gaps")
        ending = data["ending"]
        _only(ending, "kind", "signal", "exit_code", "by", "detail")
        _typed(ending, str, "detail")
        _typed(ending, str | None, "signal")
        _typed(ending, int | None, "exit_code")
        _typed(data, str, "run")
        if not _RUN.fullmatch(data["run"]):
            raise ValueError(f"run is {data['run']!r}")
        _typed(data, list, "also")
        for why in data["gaps"].values():
            _typed({"gap": why}, str, "gap")
        cause, also = data["cause"], tuple(_finding_from(finding) for finding in data["also"])
        return Verdict(
            run=data["run"],
            ending=Ending(
                EndingKind(ending["kind"]),
                ending["signal"],
                ending["exit_code"],
                EndedBy(ending["by"]),
                ending["detail"],
            ),
            findings=(_finding_from(cause), *also) if cause is not None else (),
            warnings=() if cause is not None else also,
            gaps={name: why for name, why in data["gaps"].items() if not name.startswith(_BROKEN)},
            failures=tuple(
                UnitFailure(name.removeprefix(_BROKEN), why)
                for name, why in data["gaps"].items()
                if name.startswith(_BROKEN)
            ),
        )
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise RecordUnreadable(
            f"The verdict cannot be read: {type(error).__name__}: {error}.",
            "Analyse the record again with:  outlive why RUN --again",
        ) from error


def _finding_from(data: Mapping[str, Any]) -> Finding:
    _only(data, "slug", "confidence", "says", "where", "because", "remedies")
    _typed(data, str, "slug", "says")
    _typed(data, list, "because", "remedies")
    where = data["where"]
    if where is not None:
        _only(where, "file", "line", "function", "code")
        _typed(where, str, "file", "function", "code")
        _typed(where, int, "line")
    for fact in data["because"]:
        _only(fact, "name", "value", "source")
        _typed(fact, str, "name", "source")
        _typed(fact, str | int | float | None, "value")
    for remedy in data["remedies"]:
        _only(remedy, "text", "commands", "safe")
        _typed(remedy, str, "text")
        _typed(remedy, list, "commands")
        _typed(remedy, bool, "safe")
        for command in remedy["commands"]:
            _typed({"command": command}, str, "command")
    return Finding(
        says=data["says"],
        because=tuple(
            Fact(fact["name"], fact["value"], fact["source"]) for fact in data["because"]
        ),
        confidence=Confidence[data["confidence"].upper()],
        remedies=tuple(
            Remedy(remedy["text"], tuple(remedy["commands"]), remedy["safe"])
            for remedy in data["remedies"]
        ),
        where=None if where is None else Place(**where),
        slug=data["slug"],
    )


def _typed(data: Mapping[str, Any], kind: Any, *names: str) -> None:
    for name in names:
        value = data[name]
        if not isinstance(value, kind) or (isinstance(value, int) and abs(value) >= _LARGEST):
            raise ValueError(f"{name} is {repr(value)[:200]}")


def _only(data: Mapping[str, Any], *names: str) -> None:
    unknown = set(data) - set(names)
    if unknown:
        raise ValueError(f"unknown fields {sorted(unknown)}")
