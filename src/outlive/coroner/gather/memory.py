"""Readings of memory -> evidence: samples, cgroups, the kernel's kills, growth and what held it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from outlive.coroner.gather.growth import growth_in
from outlive.coroner.gather.holders import holders_in
from outlive.coroner.gather.looks import traced_in
from outlive.coroner.gather.pipeline_buffers import with_buffers
from outlive.coroner.readings.readings import Payload, Readings, integer, number
from outlive.inside.notes import kinds
from outlive.model.events import Group, OomLine, Sample
from outlive.model.memory import Growth, Holder, Stage, Traced
from outlive.model.patterns import bounded

OOM_LINE = bounded(
    r"oom-kill:constraint=(\w+),.*?(?:oom_memcg=([^,]*),)?(global_oom,)?task_memcg=[^,]*,task=.*,pid=(\d+),uid="
)

#: Always written, while the longer line is left out when many are killed at once.
KILLED_LINE = bounded(r"(Memory cgroup )?[Oo]ut of memory: Killed process (\d+)")

#: How long before the death a reading still tells how full a cgroup was.
LAST_SECONDS = 2.0


def samples_of(readings: Readings) -> tuple[Sample, ...]:
    """What was sampled while the program lived, oldest first."""
    return tuple(_sample(payload) for payload in readings.samples)


def _sample(payload: Payload) -> Sample:
    used, limit = _tightest(payload.get("groups") or ())
    return Sample(
        at=number(payload.get("at")) or 0.0,
        rss_bytes=int(number(payload.get("rss")) or 0),
        vm_bytes=int(number(payload.get("vm")) or 0),
        tree_rss_bytes=int(number(payload.get("tree")) or 0),
        processes=int(number(payload.get("processes")) or 1),
        threads=integer(payload.get("threads")),
        open_files=integer(payload.get("files")),
        cpu_seconds=number(payload.get("cpu")) or 0.0,
        used_bytes=used,
        limit_bytes=limit,
        available_bytes=integer(payload.get("available")),
        gpu_bytes=integer(payload.get("gpu")),
    )


def _tightest(groups: Sequence[Any]) -> tuple[int | None, int | None]:
    """Use and limit of the cgroup that is nearest to its limit."""
    limited = [
        (entry[2], entry[3])
        for entry in groups
        if len(entry) > 3 and entry[2] is not None and entry[3]
    ]
    return max(limited, key=lambda pair: pair[0] / pair[1], default=(None, None))


def groups_of(readings: Readings, gaps: dict[str, str]) -> tuple[Group, ...]:
    """Every memory cgroup above the program, before and after the death."""
    before, after = readings.end.get("before") or {}, readings.end.get("after") or {}
    earlier = {entry[0]: entry for entry in before.get("groups") or ()}
    died_at = number(readings.end.get("at")) or 0.0
    living: dict[
        str, Any
    ] = {}  # the fullest of the last readings: while it dies, memory is already given back
    for sample in readings.samples:
        if (number(sample.get("at")) or 0.0) >= died_at - LAST_SECONDS:
            for entry in sample.get("groups") or ():
                known = living.get(entry[0])
                if known is None or (entry[2] or 0) > (known[2] or 0):
                    living[entry[0]] = entry
    baseline = (readings.run.get("baseline") or {}).get("groups") or ()
    at_start = {entry[0]: entry[4] for entry in baseline}
    vanished = _vanished(before.get("members"), after.get("members"))
    found = []
    for position, entry in enumerate(after.get("groups") or before.get("groups") or ()):
        path, version, used, limit, kills, refusals = (list(entry) + [None] * 6)[:6]
        old = (list(earlier.get(path, ())) + [None] * 6)[:6]
        now = living.get(path, entry)
        found.append(
            Group(
                path=path,
                version=version,
                limit_bytes=limit if limit is not None else now[3],
                used_bytes=max(
                    (value for value in (now[2], used) if value is not None), default=None
                ),
                oom_kills_before=old[4],
                oom_kills_at_start=at_start.get(path),
                oom_kills_after=kills if after.get("groups") else None,
                refusals_before=old[5],
                refusals_after=refusals,
                vanished=vanished if position == 0 else None,
            )
        )
    if not found:
        gaps["oom counters"] = "no memory cgroup could be read before and after the death"
    elif all(group.killed is None for group in found):
        gaps["oom counters"] = f"the oom_kill counter could not be read in {found[0].path}"
    return tuple(found)


def _vanished(before: Any, after: Any) -> int | None:
    """Processes of the group that were there before the death and are not there after it."""
    if not isinstance(before, list) or not isinstance(after, list):
        return None
    return len(set(before) - set(after))


def oom_lines_of(readings: Readings, gaps: dict[str, str]) -> tuple[OomLine, ...] | None:
    """The kernel's own words about its kills; None when its log cannot be used."""
    lines = readings.end.get("kernel_lines")
    if lines is None:
        gaps["kernel log"] = "/dev/kmsg could not be read; it names the process that Linux killed"
        return None
    if readings.end.get("own_pid_namespace"):
        gaps["kernel log"] = "this is a container: the kernel log uses other process numbers"
        return None
    found = []
    for text in lines:
        match = OOM_LINE.search(text)
        if match:
            whole = match[1] == "CONSTRAINT_NONE" or bool(match[3])
            found.append(OomLine(int(match[4]), whole, match[2] or "", text))
        brief = KILLED_LINE.search(text)
        if brief and not any(line.pid == int(brief[2]) for line in found):
            found.append(OomLine(int(brief[2]), not brief[1], "", text))
    return tuple(found)


def growths_of(readings: Readings) -> dict[int, Growth]:
    """The line that was running while memory grew, by process."""
    # What was read at its end is the largest of the program and of its children: its own only where it had none.
    alone = all(sample.get("processes", 1) == 1 for sample in readings.samples)
    peak = integer(readings.exit.get("max_rss")) if alone and len(readings.processes) == 1 else None
    found = {
        process.pid: growth_in(process.stacks, readings.lines, peak)
        for process in readings.processes
    }
    return {pid: growth for pid, growth in found.items() if growth is not None}


def holders_of(readings: Readings) -> dict[int, tuple[Holder, ...]]:
    """The containers that held memory, by process."""
    found = {
        process.pid: holders_in(process.of_kind(kinds.CENSUS), process.stacks, readings.lines)
        for process in readings.processes
    }
    return {pid: holders for pid, holders in found.items() if holders}


def traced_of(readings: Readings) -> dict[int, tuple[Traced, ...]]:
    """The functions that TensorFlow traced, by process."""
    found = {
        process.pid: traced_in(process.of_kind(kinds.CENSUS), readings.lines)
        for process in readings.processes
    }
    return {pid: traced for pid, traced in found.items() if traced}


def stages_of(readings: Readings) -> tuple[Stage, ...]:
    """The pipeline stages that hold elements, as they were built, with what they held at the last look."""
    return tuple(
        stage
        for process in readings.processes
        for stage in with_buffers(
            [_stage(note, process.pid, readings) for note in process.of_kind(kinds.STAGE)],
            process.of_kind(kinds.CENSUS),
        )
    )


def _stage(note: Mapping[str, Any], pid: int, readings: Readings) -> Stage:
    frames = readings.lines.places(note.get("frames"))
    count = integer(note.get("count"))
    return Stage(
        kind=str(note.get("stage", "")),
        place=next((frame for frame in frames if frame.own), None),
        buffer=int(number(note.get("buffer")) or 0),
        elements=count if count is not None and count >= 0 else None,
        element_bytes=integer(note.get("element")),
        pid=pid,
    )
