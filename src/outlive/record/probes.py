"""Readings -> facts, each with its source and its gap: what the record holds, made into evidence.

Works on the record of a living supervisor, of a dead one, and on whatever is left of a torn one.
"""

from __future__ import annotations

import glob
import os
import re
import signal
from collections.abc import Mapping, Sequence
from typing import Any

from outlive.evidence import Evidence
from outlive.memory_use import Growth, Holder, Stage, Traced
from outlive.model import EndedBy, Ending, EndingKind, Fact, Value
from outlive.observed import (
    ChildDeath,
    Crash,
    Group,
    OomLine,
    Origin,
    Program,
    Quit,
    Received,
    Sample,
    Sent,
    Stack,
    Thrown,
)
from outlive.record.format import read_frames
from outlive.record.holders import holders_in, traced_in
from outlive.record.masking import secrets_of
from outlive.record.shimmed import read_all
from outlive.record.traces import SourceLines, crash_in, growth_in, origin_of, stacks_at, thrown

OOM_LINE = re.compile(
    r"oom-kill:constraint=(\w+),.*?(?:oom_memcg=([^,]*),)?(global_oom,)?task_memcg=[^,]*,task=.*,pid=(\d+),uid="
)

#: Always written, while the longer line is left out when many are killed at once.
KILLED_LINE = re.compile(r"(Memory cgroup )?[Oo]ut of memory: Killed process (\d+)")

#: How long before the death a reading still tells how full a control group was.
LAST_SECONDS = 2.0

Payload = Mapping[str, Any]


class ProcessRecord:
    """What one Python process wrote into its rings."""

    def __init__(self, path: str) -> None:
        frames = [frame.payload for frame in read_frames(path)]
        self.notes = [payload for payload in frames if payload.get("kind") != "stack"]
        self.stacks = sorted(
            (payload for payload in frames if payload.get("kind") == "stack"),
            key=lambda payload: _number(payload.get("time")) or 0.0,
        )
        self.pid = next((note["pid"] for note in self.notes if isinstance(note.get("pid"), int)), 0)
        self.introduction = next((note for note in self.notes if note.get("kind") == "process"), {})

    def of_kind(self, kind: str) -> list[Payload]:
        """The notes of one kind, in order."""
        return [note for note in self.notes if note.get("kind") == kind]


class Readings:
    """Everything that was recorded of one run, still as plain data."""

    def __init__(self, payloads: Sequence[Payload], rings: str | None) -> None:
        self.samples = sorted(
            (payload for payload in payloads if payload.get("kind") == "sample"),
            key=lambda payload: _number(payload.get("at")) or 0.0,
        )
        self._others = [payload for payload in payloads if payload.get("kind") != "sample"]
        self.run = self.one("run")
        self.end = self.one("end")
        self.exit = self.one("exit")
        self.rings = rings
        self.processes = _process_records(rings)
        self.shimmed = read_all(rings, secrets_of(os.environ))
        self.faults = _fault_texts(rings)
        libraries = [
            str(folder)
            for process in self.processes
            for folder in process.introduction.get("libraries", ())
        ]
        self.lines = SourceLines(str(self.run.get("folder", "")), libraries)

    def one(self, kind: str) -> Payload:
        """The only record of a kind, or an empty one."""
        return next((payload for payload in self._others if payload.get("kind") == kind), {})

    def all(self, kind: str) -> list[Payload]:
        """All records of a kind."""
        return [payload for payload in self._others if payload.get("kind") == kind]

    def since_start(self, moment: Any) -> float | None:
        """A wall-clock time as seconds since the start."""
        began, now = _number(self.run.get("time")), _number(moment)
        return round(now - began, 3) if began is not None and now is not None else None

    @property
    def pid(self) -> int:
        """The process that was started."""
        return int(_number(self.run.get("pid")) or 0)

    @property
    def principal(self) -> ProcessRecord | None:
        """The Python process that the run is about: the one that was started, else the first that it led to."""
        mine = [process for process in self.processes if process.pid == self.pid]
        return next(iter(mine or self.processes), None)


def gather(payloads: Sequence[Payload], rings: str | None) -> Evidence:
    """The evidence of one run."""
    readings = Readings(payloads, rings)
    gaps: dict[str, str] = {
        str(gap.get("name")): str(gap.get("why")) for gap in readings.all("gap")
    }
    errors = _errors(readings)
    quits = _quits(readings)
    ending = _ending(readings, errors)
    log = _log(readings, gaps)
    samples = _samples(readings)
    groups = _groups(readings, gaps)
    oom_lines = _oom_lines(readings, gaps)
    signals = _signals(readings)
    crash = _crash(readings, log)
    stacks = _stacks(readings, gaps)
    return Evidence(
        ending=ending,
        program=_program(readings),
        facts=_facts(readings, samples, groups, log, stacks),
        gaps=gaps,
        samples=samples,
        groups=groups,
        oom_lines=oom_lines,
        stacks=stacks,
        errors=errors,
        quits=quits,
        signals=signals,
        sent=_sent(readings),
        children=_children(readings, oom_lines),
        crash=crash,
        growths=_growths(readings),
        holders=_holders(readings),
        traced=_traced(readings),
        stages=_stages(readings),
        log=log,
    )


def _program(readings: Readings) -> Program:
    principal = readings.principal
    return Program(
        command=tuple(str(word) for word in readings.run.get("command", ())),
        folder=str(readings.run.get("folder", "")),
        pid=principal.pid if principal else readings.pid,
        python=str(principal.introduction.get("python", "")) if principal else "",
        shell=bool(readings.run.get("shell")),
        own_pids=frozenset({readings.pid, principal.pid} if principal else {readings.pid}),
        family=_family(readings),
        on_terminal=bool(readings.run.get("terminal")),
        finished=bool(principal and principal.of_kind("leaving")),
        alone=principal is None or principal.pid == readings.pid,
    )


def _family(readings: Readings) -> frozenset[int]:
    """Every descendant that somebody saw: the supervisor, its parent, or itself."""
    seen = {pid for pid in readings.end.get("family", ()) if isinstance(pid, int)}
    seen |= {process.pid for process in readings.processes}
    for process in readings.processes:
        seen |= {
            note["child"] for note in process.of_kind("child") if isinstance(note.get("child"), int)
        }
    principal = readings.principal
    return frozenset(seen - {readings.pid, principal.pid if principal else 0})


def _ending(readings: Readings, errors: Sequence[Thrown]) -> Ending:
    end = readings.exit
    number, code = end.get("signal"), end.get("exit_code")
    if not end:
        return _ending_without_supervisor(readings, errors)
    after = _number(readings.end.get("at"))
    lasted = f"after {after:.1f} s" if after is not None else ""
    if isinstance(number, int):
        name = signal_name(number)
        by = EndedBy.ITSELF if name in _OWN_FAULTS else EndedBy.UNKNOWN
        return Ending(EndingKind.SIGNAL, name, None, by, f"ended by {name} {lasted}".strip())
    if code == 0:
        return Ending(EndingKind.SUCCESS, None, 0, EndedBy.ITSELF, f"finished {lasted}".strip())
    if code == 1 and any(thrown.origin is Origin.MAIN for thrown in errors):
        return Ending(
            EndingKind.EXCEPTION, None, code, EndedBy.ITSELF, f"exit status 1 {lasted}".strip()
        )
    return Ending(
        EndingKind.EXIT, None, code, EndedBy.ITSELF, f"exit status {code} {lasted}".strip()
    )


_OWN_FAULTS = frozenset({"SIGSEGV", "SIGBUS", "SIGILL", "SIGFPE", "SIGABRT", "SIGTRAP", "SIGSYS"})


def _ending_without_supervisor(readings: Readings, errors: Sequence[Thrown]) -> Ending:
    """The supervisor was ended before the program: only the program's own words are left."""
    detail = "the supervisor was ended before the program, so nobody saw how the program ended"
    principal = readings.principal
    if any(thrown.origin is Origin.MAIN for thrown in errors):
        return Ending(EndingKind.EXCEPTION, None, None, EndedBy.ITSELF, detail)
    if principal is not None and principal.of_kind("leaving"):
        return Ending(EndingKind.EXIT, None, None, EndedBy.ITSELF, detail)
    return Ending(EndingKind.EXIT, None, None, EndedBy.UNKNOWN, detail)


def _errors(readings: Readings) -> tuple[Thrown, ...]:
    found = []
    for process in readings.processes:
        for note in process.of_kind("error"):
            data = note.get("error")
            if isinstance(data, dict):
                found.append(
                    thrown(
                        data,
                        readings.lines,
                        origin=origin_of(note.get("origin")),
                        thread=str(note.get("thread", "")),
                        pid=process.pid,
                        at=readings.since_start(note.get("time")),
                    )
                )
    return tuple(sorted(found, key=lambda error: error.at or 0.0))


def _quits(readings: Readings) -> tuple[Quit, ...]:
    return tuple(
        Quit(
            str(note.get("call", "")),
            _plain(note.get("code")),
            readings.lines.places(note.get("frames")),
            process.pid,
            readings.since_start(note.get("time")),
        )
        for process in readings.processes
        for note in process.of_kind("quit")
    )


def _sent(readings: Readings) -> tuple[Sent, ...]:
    return tuple(
        Sent(
            signal_name(int(_number(note.get("signal")) or 0)),
            int(_number(note.get("target")) or 0),
            process.pid,
            readings.lines.places(note.get("frames")),
            readings.since_start(note.get("time")),
        )
        for process in readings.processes
        for note in process.of_kind("kill")
    )


def _growths(readings: Readings) -> dict[int, Growth]:
    found = {
        process.pid: growth_in(process.stacks, readings.lines) for process in readings.processes
    }
    return {pid: growth for pid, growth in found.items() if growth is not None}


def _holders(readings: Readings) -> dict[int, tuple[Holder, ...]]:
    found = {
        process.pid: holders_in(process.of_kind("census"), process.stacks, readings.lines)
        for process in readings.processes
    }
    return {pid: holders for pid, holders in found.items() if holders}


def _traced(readings: Readings) -> dict[int, tuple[Traced, ...]]:
    found = {
        process.pid: traced_in(process.of_kind("census"), readings.lines)
        for process in readings.processes
    }
    return {pid: traced for pid, traced in found.items() if traced}


def _stages(readings: Readings) -> tuple[Stage, ...]:
    found = []
    for process in readings.processes:
        for note in process.of_kind("stage"):
            frames = readings.lines.places(note.get("frames"))
            count = _integer(note.get("count"))
            found.append(
                Stage(
                    kind=str(note.get("stage", "")),
                    place=next((frame for frame in frames if frame.own), None),
                    buffer=int(_number(note.get("buffer")) or 0),
                    elements=count if count is not None and count >= 0 else None,
                    element_bytes=_integer(note.get("element")),
                    pid=process.pid,
                )
            )
    return tuple(found)


def _children(readings: Readings, oom_lines: tuple[OomLine, ...] | None) -> tuple[ChildDeath, ...]:
    killed = {line.pid for line in oom_lines} if oom_lines is not None else None
    found = []
    for process in readings.processes:
        for note in process.of_kind("child"):
            code, pid = note.get("code"), note.get("child")
            if not isinstance(code, int) or not isinstance(pid, int):
                continue
            frames = readings.lines.places(note.get("frames"))
            found.append(
                ChildDeath(
                    pid=pid,
                    signal=signal_name(-code) if code < 0 else None,
                    exit_code=code if code >= 0 else None,
                    name=str(note.get("name", "")),
                    at=readings.since_start(note.get("time")),
                    oom_killed=pid in killed if killed is not None else None,
                    asked=bool(note.get("asked")),
                    started=next((frame for frame in frames if frame.own), None),
                )
            )
    return tuple(found)


def _signals(readings: Readings) -> tuple[Received, ...]:
    found = []
    for note in readings.all("signal"):
        number = note.get("signal")
        if isinstance(number, int):
            sender = note.get("sender")
            found.append(
                Received(
                    signal=signal_name(number),
                    sender_pid=sender if isinstance(sender, int) else None,
                    sender=" ".join(str(word) for word in note.get("command", ())),
                    sender_uid=note.get("uid") if isinstance(sender, int) else None,
                    at=_number(note.get("at")),
                    pid=0,
                )
            )
    supervisor = readings.run.get("supervisor")
    for shimmed in readings.shimmed:
        pid = int(_number(shimmed.get("pid")) or 0)
        for seen in shimmed.get("signals", ()):
            sender = seen.get("sender")
            if sender == supervisor and found:
                continue  # sent on by us; the real sender is already known
            found.append(
                Received(
                    signal=signal_name(int(_number(seen.get("signal")) or 0)),
                    sender_pid=_integer(sender),
                    sender=str(seen.get("command", "")),
                    sender_uid=_integer(seen.get("uid")) if sender else None,
                    ancestors=tuple(str(name) for name in seen.get("ancestors", ())),
                    at=readings.since_start(seen.get("time")),
                    pid=pid,
                    itself=sender == pid,
                    address=_integer(seen.get("address")),
                )
            )
    return tuple(sorted(found, key=lambda received: received.at or 0.0))


def _samples(readings: Readings) -> tuple[Sample, ...]:
    return tuple(_sample(payload) for payload in readings.samples)


def _sample(payload: Payload) -> Sample:
    used, limit = _tightest(payload.get("groups") or ())
    return Sample(
        at=_number(payload.get("at")) or 0.0,
        rss_bytes=int(_number(payload.get("rss")) or 0),
        vm_bytes=int(_number(payload.get("vm")) or 0),
        tree_rss_bytes=int(_number(payload.get("tree")) or 0),
        processes=int(_number(payload.get("processes")) or 1),
        threads=_integer(payload.get("threads")),
        open_files=_integer(payload.get("files")),
        cpu_seconds=_number(payload.get("cpu")) or 0.0,
        used_bytes=used,
        limit_bytes=limit,
        available_bytes=_integer(payload.get("available")),
        gpu_bytes=_integer(payload.get("gpu")),
    )


def _tightest(groups: Sequence[Any]) -> tuple[int | None, int | None]:
    """Use and limit of the control group that is nearest to its limit."""
    limited = [
        (entry[2], entry[3])
        for entry in groups
        if len(entry) > 3 and entry[2] is not None and entry[3]
    ]
    return max(limited, key=lambda pair: pair[0] / pair[1], default=(None, None))


def _groups(readings: Readings, gaps: dict[str, str]) -> tuple[Group, ...]:
    before, after = readings.end.get("before") or {}, readings.end.get("after") or {}
    earlier = {entry[0]: entry for entry in before.get("groups") or ()}
    died_at = _number(readings.end.get("at")) or 0.0
    living: dict[
        str, Any
    ] = {}  # the fullest of the last readings: while it dies, memory is already given back
    for sample in readings.samples:
        if (_number(sample.get("at")) or 0.0) >= died_at - LAST_SECONDS:
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
        gaps["oom counters"] = "no memory control group could be read before and after the death"
    elif all(group.killed is None for group in found):
        gaps["oom counters"] = f"the kernel's oom_kill counter could not be read in {found[0].path}"
    return tuple(found)


def _vanished(before: Any, after: Any) -> int | None:
    """Processes of the group that were there before the death and are not there after it."""
    if not isinstance(before, list) or not isinstance(after, list):
        return None
    return len(set(before) - set(after))


def _oom_lines(readings: Readings, gaps: dict[str, str]) -> tuple[OomLine, ...] | None:
    lines = readings.end.get("kernel_lines")
    if lines is None:
        gaps["kernel log"] = (
            "/dev/kmsg could not be read; it names the process that the kernel killed"
        )
        return None
    if readings.end.get("own_pid_namespace"):
        gaps["kernel log"] = (
            "this is a container: the kernel's log counts processes by other numbers"
        )
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


def _log(readings: Readings, gaps: dict[str, str]) -> str:
    """The last words on stderr: read back from its file, or kept by the shim inside the program."""
    aborts = [str(shimmed["abort"]) for shimmed in readings.shimmed if shimmed.get("abort")]
    kept = readings.one("stderr").get("text")
    if isinstance(kept, str):
        return "\n".join([kept, *(words for words in aborts if words not in kept)])
    if not readings.shimmed:
        gaps.setdefault(
            "stderr", "stderr is no file, and no shim was loaded in the program to keep its tail"
        )
    tails = [str(shimmed["stderr"]) for shimmed in readings.shimmed if shimmed.get("stderr")]
    return "\n".join([*tails, *aborts])


def _crash(readings: Readings, log: str) -> Crash | None:
    principal = readings.principal
    ordered = sorted(
        readings.faults, key=lambda fault: principal is None or fault[0] != principal.pid
    )
    for pid, text in ordered:
        crash = crash_in(text, readings.lines, pid)
        if crash is not None:
            return crash
    return crash_in(log, readings.lines, readings.pid)


def _stacks(readings: Readings, gaps: dict[str, str]) -> tuple[Stack, ...]:
    principal = readings.principal
    if principal is None:
        gaps["stacks"] = _failure(readings.rings) or (
            "no Python that could be looked into was seen (not Python, or started with -I, -E or -S)"
        )
        return ()
    last: tuple[Stack, ...] = ()
    newest = None
    for record in principal.stacks:
        newest = record.get("time")
        if not record.get("same"):
            last = stacks_at(record, readings.lines, readings.since_start(newest), principal.pid)
    if not last:
        gaps["stacks"] = "the program ended before its first stack was written"
    return last


def _facts(
    readings: Readings,
    samples: Sequence[Sample],
    groups: Sequence[Group],
    log: str,
    stacks: Sequence[Stack],
) -> dict[str, Fact]:
    found: dict[str, Fact] = {}

    def add(name: str, value: Value, source: str, private: bool = False) -> None:
        if value is not None and value != "":
            found[name] = Fact(name, value, source, private)

    add("run time", _number(readings.end.get("at")), "supervisor's clock, seconds")
    add("peak memory", _integer(readings.exit.get("max_rss")), "getrusage of the program")
    add("cpu time", _number(readings.end.get("cpu")), "/proc/PID/stat, seconds")
    if samples:
        last = samples[-1]
        add(
            "memory at the last look",
            last.tree_rss_bytes,
            "/proc/PID/stat of the program and its children",
        )
        add("time of the last look", last.at, "supervisor's clock, seconds")
        add("processes", last.processes, "/proc/PID/task/*/children")
        add("address space", last.vm_bytes, "/proc/PID/stat, vsize")
        add("threads", last.threads, "/proc/PID/stat")
        add("open files", last.open_files, "/proc/PID/fd")
        add("machine memory available", last.available_bytes, "/proc/meminfo MemAvailable")
        add("gpu memory", last.gpu_bytes, "NVML")
    add("machine memory", _integer(readings.run.get("memory_total")), "/proc/meminfo MemTotal")
    limited = [group for group in groups if group.limit_bytes]
    if limited:
        tightest = min(limited, key=lambda group: group.limit_bytes or 0)
        add("memory limit", tightest.limit_bytes, tightest.path)
        add("memory used in the group", tightest.used_bytes, tightest.path)
    for group in groups:
        if group.killed:
            add("kernel's kills in the group", group.killed, f"oom_kill in {group.path}")
            break
    machine = _difference(readings, "machine_oom_kills")
    add("kernel's kills on the machine", machine, "oom_kill in /proc/vmstat")
    limits = readings.run.get("limits") or {}
    for name, label in (
        ("Max address space", "address space limit"),
        ("Max cpu time", "cpu time limit"),
    ):
        pair = limits.get(name) or (None, None)
        add(label, _integer(pair[0]), f"/proc/PID/limits, {name}, soft")
        add(f"{label}, hard", _integer(pair[1]), f"/proc/PID/limits, {name}, hard")
    for stack in stacks[:1]:
        if stack.own is not None:
            add("last line seen", f"{stack.own} in {stack.own.function}", f"stack at {stack.at} s")
    fatal = [line for line in log.splitlines() if _FATAL_LINE.search(line)]
    if fatal:
        add("fatal line", fatal[-1][:500], "stderr")
    return found


#: TensorFlow's and absl's loggers mark a fatal line with F and end the process.
_FATAL_LINE = re.compile(
    r"(?:^|\s)F\d{4} |: F \S+\.(?:cc|h|cpp):\d+\]|Check failed:|terminate called after|\*\*\* .* detected \*\*\*"
)


def _difference(readings: Readings, name: str) -> int | None:
    before = (readings.end.get("before") or {}).get(name)
    after = (readings.end.get("after") or {}).get(name)
    if not isinstance(before, int) or not isinstance(after, int):
        return None
    return after - before


def _process_records(rings: str | None) -> list[ProcessRecord]:
    found = []
    for path in sorted(glob.glob(os.path.join(glob.escape(rings), "*.ring"))) if rings else ():
        try:
            found.append(ProcessRecord(path))
        except OSError:
            continue
    return sorted(found, key=lambda process: _number(process.introduction.get("time")) or 0.0)


def _failure(rings: str | None) -> str:
    """What the recorder said when it could not be loaded in the program."""
    for path in sorted(glob.glob(os.path.join(glob.escape(rings), "*.failed"))) if rings else ():
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                return f"the recorder failed to load in the program: {file.read(500)}"
        except OSError:
            continue
    return ""


def _fault_texts(rings: str | None) -> list[tuple[int, str]]:
    found = []
    for path in sorted(glob.glob(os.path.join(glob.escape(rings), "*.fault"))) if rings else ():
        try:
            with open(path, "rb") as file:
                text = file.read(1 << 20).decode("utf-8", "replace")
        except OSError:
            continue
        number = os.path.basename(path).partition("-")[0]
        if text and number.isdigit():
            found.append((int(number), text))
    return found


def signal_name(number: int) -> str:
    """``SIGKILL`` for 9; real-time signals by their number."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIG{number}"


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None


def _integer(value: Any) -> int | None:
    return value if isinstance(value, int) else None


def _plain(value: Any) -> Value:
    return value if isinstance(value, (str, int, float, bool)) else None
