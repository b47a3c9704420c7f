"""Samples in the text format of Prometheus. Pure: what is known in, the text out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

PREFIX = "outlive_run_"

#: Field of a sample -> name, type and meaning.
OF_A_SAMPLE: Mapping[str, tuple[str, str, str]] = {
    "rss": ("resident_bytes", "gauge", "Resident memory of the program's first process."),
    "tree": (
        "tree_resident_bytes",
        "gauge",
        "Resident memory of the program and all processes it started.",
    ),
    "processes": ("processes", "gauge", "Processes of the program that are alive."),
    "threads": ("threads", "gauge", "Threads of the program's first process."),
    "files": ("open_files", "gauge", "Open descriptors of the program's first process."),
    "cpu": ("cpu_seconds_total", "counter", "CPU time of the program's first process."),
    "at": ("elapsed_seconds", "gauge", "How long the program has run."),
    "available": ("machine_available_bytes", "gauge", "Memory available on the machine."),
}


def escaped(value: str) -> str:
    """The value of a label."""
    return value.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')


def line(name: str, labels: Mapping[str, str], value: float) -> str:
    """Write one reading in the text format of Prometheus."""
    words = ",".join(f'{key}="{escaped(text)}"' for key, text in labels.items())
    number = repr(value) if isinstance(value, float) else str(value)
    return f"{PREFIX}{name}{{{words}}} {number}\n"


def family(name: str, kind: str, help: str, lines: Iterable[str]) -> str:
    """All readings of one name, with what they are; nothing when there are none."""
    readings = "".join(lines)
    head = f"# HELP {PREFIX}{name} {help}\n# TYPE {PREFIX}{name} {kind}\n"
    return head + readings if readings else ""


def exposition(
    labels: Mapping[str, str],
    sample: Mapping[str, Any],
    limit_bytes: int | None,
    began: float,
    end: Mapping[str, Any] | None = None,
    warnings: Iterable[str] = (),
) -> str:
    """The whole file: the last sample, and how the run ended if it has."""
    text = family(
        "start_time_seconds",
        "gauge",
        "When the program was started.",
        [line("start_time_seconds", labels, began)],
    )
    for field, (name, kind, help) in OF_A_SAMPLE.items():
        value = sample.get(field)
        text += family(name, kind, help, [] if value is None else [line(name, labels, value)])
    text += family(
        "memory_limit_bytes",
        "gauge",
        "The smallest memory limit that applies to the program: a cgroup's, otherwise the machine's memory.",
        [] if limit_bytes is None else [line("memory_limit_bytes", labels, limit_bytes)],
    )
    used = [entry for entry in sample.get("groups") or () if entry[2] is not None]
    text += family(
        "group_memory_bytes",
        "gauge",
        "Memory charged to each cgroup above the program.",
        [line("group_memory_bytes", {**labels, "group": str(it[0])}, it[2]) for it in used],
    )
    text += family(
        "warning",
        "gauge",
        "1, with the watch that warned; absent while none has.",
        [line("warning", {**labels, "watch": slug}, 1) for slug in warnings],
    )
    ended = {} if end is None else end
    text += family(
        "ended",
        "gauge",
        "1 after the program has ended.",
        [line("ended", labels, int(end is not None))],
    )
    text += family(
        "exit_status",
        "gauge",
        "Exit status; 128 plus the signal number after a death by signal.",
        [line("exit_status", labels, ended["status"])] if "status" in ended else [],
    )
    text += family(
        "death",
        "gauge",
        "1, with the cause of death; absent after a successful run.",
        [line("death", {**labels, **ended["death"]}, 1)] if ended.get("death") else [],
    )
    return text
