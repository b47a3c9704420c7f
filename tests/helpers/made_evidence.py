"""Evidence made in memory, and readings as the supervisor writes them: what cannot be made to happen for real here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from outlive.coroner.gather.gather import gather
from outlive.model.events import Group, Program
from outlive.model.evidence import (
    Children,
    Errors,
    Evidence,
    Exits,
    Memory,
    MemoryGrowth,
    NativeCrash,
    Notebook,
    Pipelines,
    Run,
    Signals,
    Waits,
)
from outlive.model.findings import Ending, EndingKind, Fact, Finding, Value
from outlive.model.own_fields import own_fields
from outlive.units.unit import cause, discover

PID = 4321
UNITS = {unit.slug: unit for unit in discover(cause)}

#: The parts of the evidence that are made of fields.
PARTS = {
    "run": Run,
    "signals": Signals,
    "exits": Exits,
    "crash": NativeCrash,
    "errors": Errors,
    "waits": Waits,
    "children": Children,
    "memory": Memory,
    "growth": MemoryGrowth,
    "pipelines": Pipelines,
    "notebook": Notebook,
}

MB = 1_000_000


def ended(how: str | int) -> Ending:
    """By a signal, or with a status."""
    if isinstance(how, str):
        return Ending(EndingKind.SIGNAL, signal=how)
    return Ending(EndingKind.EXIT if how else EndingKind.SUCCESS, exit_code=how)


def evidence(how: str | int = "SIGKILL", *, shell: bool = False, **known: Any) -> Evidence:
    """Evidence of a program with the number ``PID`` that ended so."""
    known.setdefault("program", Program(pid=PID, own_pids=frozenset({PID}), shell=shell))
    facts = {name: fact(name, value) for name, value in known.pop("facts", {}).items()}
    return composed(ending=ended(how), facts=facts, **known)


def composed(**known: Any) -> Evidence:
    """Compose evidence of fields that are given without their parts: ``oom_lines=…`` for ``memory=Memory(oom_lines=…)``."""
    for name, part in PARTS.items():
        own = {field.name for field in own_fields(part)} & known.keys()
        if own:
            known[name] = part(**{field: known.pop(field) for field in own})
    return Evidence(**known)


def fact(name: str, value: Value) -> Fact:
    return Fact(name, value, "a test")


def group(
    path: str = "/sys/fs/cgroup/job", *, limit: int | None = None, used: int | None = None,
    kills: tuple[int | None, int | None] = (0, 0), refusals: tuple[int, int] | None = None,
    vanished: int | None = None,
) -> Group:  # fmt: skip
    """A cgroup; ``kills`` and ``refusals`` before and after the death."""
    return Group(
        path=path,
        version=2,
        limit_bytes=limit,
        used_bytes=used,
        oom_kills_before=kills[0],
        oom_kills_after=kills[1],
        oom_kills_at_start=kills[0],
        refusals_before=refusals[0] if refusals else None,
        refusals_after=refusals[1] if refusals else None,
        vanished=vanished,
    )


def ask(slug: str, view: Evidence) -> list[Finding]:
    """The answer of one cause."""
    return list(UNITS[slug].ask(view))


#: path, version, used, limit, kills, refusals
Row = list[Any]


def readings(
    *, killed: int | None = 9, exit_code: int | None = None,
    before: Sequence[Row] = (), after: Sequence[Row] = (), kernel_lines: list[str] | None = None,
    members: tuple[list[int], list[int]] | None = None, total: int | None = None, **end: Any,
) -> list[dict[str, Any]]:  # fmt: skip
    """The frames of a supervisor's log."""
    earlier, later = members or (None, None)
    return [
        {
            "kind": "run",
            "version": 1,
            "command": ["python", "train.py"],
            "folder": "/home/user/project",
            "pid": PID,
            "time": 1000.0,
            "memory_total": total,
            "limits": {},
            "baseline": {"groups": [list(row) for row in before]},
        },
        {
            "kind": "end",
            "at": 9.0,
            "killed": killed,
            "before": {"groups": [list(row) for row in before], "members": earlier},
            "after": {"groups": [list(row) for row in after], "members": later},
            "cpu": 5.0,
            "family": [],
            "kernel_lines": kernel_lines,
            "own_pid_namespace": False,
            **end,
        },
        {"kind": "exit", "signal": killed, "exit_code": exit_code, "max_rss": 700 * MB},
    ]


def gathered(**known: Any) -> Evidence:
    return gather(readings(**known), None)
