"""What a record knows of how its program was started: enough to start it again, or what is missing. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from outlive.inside.notes.masking import MASK
from outlive.model.evidence import Evidence
from outlive.model.fact_names import MEMORY_LIMIT, RUN_TIME
from outlive.model.findings import EndingKind
from outlive.model.quick_dataclass import dataclass

#: Limits of a process that can be set again, as Linux names them -> as Python does.
LIMITS = {
    "Max address space": "RLIMIT_AS",
    "Max data size": "RLIMIT_DATA",
    "Max open files": "RLIMIT_NOFILE",
    "Max cpu time": "RLIMIT_CPU",
    "Max stack size": "RLIMIT_STACK",
    "Max processes": "RLIMIT_NPROC",
}


@dataclass(frozen=True, slots=True)
class Start:
    """How a program was started, and under which limits it died."""

    command: tuple[str, ...]
    folder: str
    variables: Mapping[str, str] = field(default_factory=dict)  #: that the record kept
    memory_bytes: int | None = None  #: the limit of its cgroup
    limits: Mapping[str, tuple[int | None, int | None]] = field(default_factory=dict)
    seconds: float = 0.0  #: until it died
    cpu_seconds: float = 0.0  #: that it had used by then
    hung: bool = False
    began: float = 0.0  #: when the recorded run began, in seconds since 1970
    unknown: tuple[str, ...] = ()  #: variables whose value was hidden in the record


def start_of(
    record: Mapping[str, Any], evidence: Evidence, command: tuple[str, ...] = ()
) -> Start | str:
    """The start of a recorded run; or why it cannot be started again. ``command`` is what the user gives instead of the recorded one."""
    words = command or tuple(str(word) for word in record.get("command") or ())
    if not words:
        return "the record does not say which command was run"
    if any(MASK in word for word in words):
        return "a part of its command is hidden in the record (give it with --command)"
    folder = str(record.get("folder") or "")
    if not folder:
        return "the record does not say in which folder it was run"
    kept = {str(name): str(value) for name, value in (record.get("environment") or {}).items()}
    limit = evidence.run.fact(MEMORY_LIMIT)
    lasted = evidence.run.fact(RUN_TIME)
    samples = evidence.run.samples
    return Start(
        words,
        folder,
        {name: value for name, value in kept.items() if MASK not in value},
        limit if isinstance(limit, int) else None,
        _limits(record),
        float(lasted) if isinstance(lasted, int | float) else 0.0,
        max((sample.cpu_seconds for sample in samples), default=0.0),
        evidence.run.ending.kind is EndingKind.HANG or evidence.waits.stuck is not None,
        float(record["time"]) if isinstance(record.get("time"), int | float) else 0.0,
        tuple(name for name, value in kept.items() if MASK in value),
    )


def _limits(record: Mapping[str, Any]) -> dict[str, tuple[int | None, int | None]]:
    found = {}
    for name, pair in (record.get("limits") or {}).items():
        if name in LIMITS and isinstance(pair, list | tuple) and len(pair) == 2:
            soft, hard = (it if isinstance(it, int) else None for it in pair)
            found[LIMITS[name]] = (soft, hard)
    return found
