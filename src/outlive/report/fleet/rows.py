"""One run of a fleet as one row: when, where, of what, and the fingerprint of its verdict."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from outlive.coroner.gather.gather import membership_in
from outlive.inside.notes import kinds
from outlive.inside.notes.format import HEAD, decode
from outlive.model.fingerprint import fingerprint
from outlive.model.verdict_json import SCHEMA
from outlive.recorder.store import run_folders
from outlive.recorder.store.note_kinds import fitted
from outlive.report.fleet.places import Place
from outlive.report.headline import program_name

#: The first entry of a log is shorter; where it is not, the run has no time and no host.
LOG_BYTES = 65_536

#: The columns: the time is seconds since 1970, ``sealed`` a yes or no, ``line`` a number; the others are texts, empty where something is not known.
COLUMNS = (
    "run", "path", "time", "host", "program", "folder", "revision", "job", "rank", "ended", "cause", "confidence", "says", "file", "line",
    "function", "code", "fingerprint", "sealed",
)  # fmt: skip


def row_of(place: Place, path: str) -> dict[str, Any]:
    """The row of a run. A verdict that cannot be read is none: one torn file must not hide a fleet."""
    run = _start(place.read(f"{path}/{run_folders.LOG_NAME}", LOG_BYTES) or b"")
    verdict = _verdict(place.read(f"{path}/{run_folders.VERDICT_NAME}") or b"")
    name = path.rpartition("/")[2]
    sealed = place.read(f"{path}/{run_folders.SEALED_NAME}", 1) is not None
    return row(name, path, run, verdict, sealed)


def _start(content: bytes) -> dict[str, Any]:
    """The first entry, which says who was recorded; those behind it are samples."""
    if len(content) < HEAD.size:
        return {}
    length = HEAD.unpack(content[: HEAD.size])[2]
    first = fitted(decode(content[: HEAD.size + length]))
    return next((it for it in first if it.get("kind") == kinds.RUN), {})


def _verdict(content: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(content) if content else None
        return (
            found if found is not None and found["schema"] == SCHEMA and found["ending"] else None
        )
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def row(
    name: str, path: str, run: Mapping[str, Any], verdict: Mapping[str, Any] | None, sealed: bool
) -> dict[str, Any]:
    """Put a row together of what was recorded first and what was found in the end."""
    told = verdict or {}
    cause = told.get("cause") or {}
    where = cause.get("where") or {}
    member = membership_in(run)
    program = program_name([str(word) for word in run.get("command", ())])
    return {
        "run": name,
        "path": path,
        "time": float(run.get("time") or 0.0),
        "host": str((run.get("host") or {}).get("name") or ""),
        "program": program,
        "folder": str(run.get("folder") or ""),
        "revision": str(run.get("revision") or ""),
        "job": member.job if member is not None else "",
        "rank": member.rank if member is not None else "",
        "ended": str((told.get("ending") or {}).get("detail") or ""),
        "cause": str(cause.get("slug") or ""),
        "confidence": str(cause.get("confidence") or ""),
        "says": str(cause.get("says") or ""),
        "file": str(where.get("file") or ""),
        "line": _whole(where.get("line")),
        "function": str(where.get("function") or ""),
        "code": str(where.get("code") or ""),
        "fingerprint": _fingerprint(told, program),
        "sealed": sealed,
    }


def _whole(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value < 1 << 31 else 0


def _fingerprint(told: Mapping[str, Any], program: str) -> str:
    try:
        return fingerprint(told, program) if told else ""
    except (KeyError, TypeError, AttributeError, ValueError):
        return ""  # a verdict that somebody wrote by hand
