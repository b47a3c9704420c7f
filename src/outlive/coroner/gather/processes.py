"""Readings of processes -> evidence: exceptions, exits, signals, children, crashes and stacks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from outlive.coroner.gather.linux_faults import fault_in
from outlive.coroner.lines.except_handlers import handler_leaves
from outlive.coroner.readings.readings import (
    Payload,
    Readings,
    confession,
    integer,
    number,
    plain_value,
    signal_name,
)
from outlive.coroner.readings.source_lines import crash_in, origin_of, stacks_at, thrown
from outlive.inside.notes import kinds
from outlive.model.crash import FaultAddress, NativeFrame, Site
from outlive.model.events import (
    Act,
    Cell,
    ChildDeath,
    Crash,
    Origin,
    Quit,
    Received,
    Sent,
    Stack,
    Thrown,
    TimerSet,
)


def errors_of(readings: Readings) -> tuple[Thrown, ...]:
    """Exceptions that ended something, oldest first."""
    found = []
    ended = _workers_looked_at(readings)
    for process in readings.processes:
        asked = {note.get("mark") for note in process.of_kind(kinds.SEEN)}
        for note in process.of_kind(kinds.ERROR):
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
                        seen=bool(note.get("seen"))
                        or note.get("mark", 0) in asked
                        or process.pid in ended,
                    )
                )
    return tuple(sorted(found, key=lambda error: error.at or 0.0))


def cells_of(readings: Readings) -> tuple[Cell, ...]:
    """What the kernel of a notebook was asked to run, in order."""
    return tuple(
        Cell(
            request.count,
            request.code,
            request.id,
            readings.since_start(request.time),
            request.done,
            request.silent,
            thrown(request.error, readings.lines, origin=Origin.CELL, pid=readings.pid)
            if isinstance(request.error, dict)
            else None,
            request.cell,
        )
        for request in readings.notebook.requests
    )


def _workers_looked_at(readings: Readings) -> set[Any]:
    """Workers whose parent asked how they ended."""
    return {
        note.get("child") for process in readings.processes for note in process.of_kind(kinds.SEEN)
    } - {None}


def brakes_of(readings: Readings) -> tuple[float, ...]:
    """When the brake stopped the program's code."""
    notes = [note for process in readings.processes for note in process.of_kind(kinds.BRAKE)]
    times = (readings.since_start(note.get("time")) for note in notes)
    return tuple(sorted(at for at in times if at is not None))


def acts_of(readings: Readings) -> tuple[Act, ...]:
    """What the program closed and cancelled, oldest first."""
    found = [
        Act(
            kind=kind,
            what=str(note.get("what", "")),
            thread=str(note.get("thread", "")),
            frames=readings.lines.places(note.get("frames")),
            pid=process.pid,
            at=readings.since_start(note.get("time")),
        )
        for process in readings.processes
        for kind in (kinds.CLOSED, kinds.CANCELLED)
        for note in process.of_kind(kind)
    ]
    return tuple(sorted(found, key=lambda act: act.at or 0.0))


def quits_of(readings: Readings) -> tuple[Quit, ...]:
    """Calls that asked to end a process."""
    return tuple(
        Quit(
            str(note.get("call", "")),
            plain_value(note.get("code")),
            readings.lines.places(note.get("frames")),
            process.pid,
            readings.since_start(note.get("time")),
            thrown(note["error"], readings.lines) if isinstance(note.get("error"), dict) else None,
            tuple((str(name), int(count)) for name, count in note.get("lost") or ()),
            tuple(
                Stack(str(name), readings.lines.places(frames), pid=process.pid)
                for name, frames in note.get("threads") or ()
            ),
        )
        for process in readings.processes
        for note in process.of_kind(kinds.QUIT)
    )


def shown_of(readings: Readings) -> tuple[Thrown, ...]:
    """Exceptions whose traceback the program itself printed or logged, oldest first; the first few."""
    principal = readings.principal
    if principal is None:
        return ()
    found = [
        thrown(note["error"], readings.lines, pid=principal.pid)
        for note in principal.of_kind(kinds.SHOWN)
        if isinstance(note.get("error"), dict)
    ]
    return tuple(replace(error, left=handler_leaves(readings, error)) for error in found)


def logged_of(readings: Readings) -> tuple[Thrown, ...]:
    """Exceptions that threads of the program handled while they logged something, oldest first."""
    principal = readings.principal
    notes = principal.of_kind(kinds.LOGGED) if principal else []
    return tuple(
        thrown(
            note["error"],
            readings.lines,
            origin=Origin.LOGGED,
            thread=str(note.get("thread", "")),
            pid=principal.pid if principal else 0,
            at=readings.since_start(note.get("time")),
        )
        for note in notes
        if isinstance(note.get("error"), dict)
    )


def sent_of(readings: Readings) -> tuple[Sent, ...]:
    """Signals that the program's own processes sent."""
    return tuple(
        Sent(
            signal_name(int(number(note.get("signal")) or 0)),
            int(number(note.get("target")) or 0),
            process.pid,
            readings.lines.places(note.get("frames")),
            readings.since_start(note.get("time")),
        )
        for process in readings.processes
        for note in process.of_kind(kinds.KILL)
    )


def timers_of(readings: Readings) -> tuple[TimerSet, ...]:
    """Timers that the program's own processes set, in order."""
    return tuple(
        TimerSet(
            int(number(note.get("which")) or 0),
            number(note.get("seconds")) or 0.0,
            process.pid,
            readings.lines.places(note.get("frames")),
        )
        for process in readings.processes
        for note in process.of_kind(kinds.TIMER)
    )


def children_of(readings: Readings) -> tuple[ChildDeath, ...]:
    """Workers and subprocesses that ended badly."""
    sent = sent_of(readings)
    found = []
    for process in readings.processes:
        for note in process.of_kind(kinds.CHILD):
            code, pid = note.get("code"), note.get("child")
            if not isinstance(code, int) or not isinstance(pid, int):
                continue
            frames = readings.lines.places(note.get("frames"))
            ended_by = signal_name(-code) if code < 0 else None
            # A pool asks a worker to end that is dying already: it ends of what it was dying of.
            asked_with = {one.signal for one in sent if one.target == pid}
            dying = ended_by is not None and asked_with and ended_by not in asked_with
            found.append(
                ChildDeath(
                    pid=pid,
                    signal=ended_by,
                    exit_code=code if code >= 0 else None,
                    name=str(note.get("name", "")),
                    at=readings.since_start(note.get("time")),
                    asked=bool(note.get("asked")) and not dying,
                    started=next((frame for frame in frames if frame.own), None),
                )
            )
    return tuple(found)


def signals_of(readings: Readings) -> tuple[Received, ...]:
    """Signals that reached the supervisor or the program, with their senders."""
    found = []
    for note in readings.all(kinds.SIGNAL):
        signalled = note.get("signal")
        if isinstance(signalled, int):
            sender = note.get("sender")
            found.append(
                Received(
                    signal=signal_name(signalled),
                    sender_pid=sender if isinstance(sender, int) else None,
                    sender=" ".join(str(word) for word in note.get("command", ())),
                    sender_uid=note.get("uid") if isinstance(sender, int) else None,
                    sender_user=str(note.get("user", "")),
                    ancestors=tuple(str(name) for name in note.get("ancestors", ())),
                    at=number(note.get("at")),
                    pid=0,
                )
            )
    supervisor = readings.run.get("supervisor")
    for shimmed in readings.shimmed:
        pid = int(number(shimmed.get("pid")) or 0)
        for seen in shimmed.get("signals", ()):
            sender = seen.get("sender")
            if sender == supervisor and found:
                continue  # sent on by us; the real sender is already known
            found.append(
                Received(
                    signal=signal_name(int(number(seen.get("signal")) or 0)),
                    sender_pid=integer(sender),
                    sender=str(seen.get("command", "")),
                    sender_uid=integer(seen.get("uid")) if sender else None,
                    sender_user=str(seen.get("user", "")) if sender else "",
                    ancestors=tuple(str(name) for name in seen.get("ancestors", ())),
                    at=readings.since_start(seen.get("time")),
                    pid=pid,
                    itself=sender == pid,
                    address=integer(seen.get("address")),
                    thread=str(seen.get("thread", "")),
                    site=site_in(seen.get("site")),
                )
            )
    if not any(got.site for got in found):
        found += _faults_in_the_log(readings)
    return tuple(sorted(found, key=lambda received: received.at or 0.0))


def _faults_in_the_log(readings: Readings) -> list[Received]:
    """Of a program that nothing could be loaded into the kernel may have said where it crashed; it counts threads, not processes."""
    lines = readings.end.get("kernel_lines") or ()
    if readings.end.get("own_pid_namespace"):
        return []
    found = [fault for line in lines if (fault := fault_in(str(line))) is not None]
    return [
        Received(signal=name, pid=pid, at=number(readings.end.get("at")), site=site)
        for pid, name, site in found
        if pid == readings.pid
    ]


def site_in(data: Any) -> Site | None:
    """Where a fatal signal struck, as it was read from the raw words."""
    if not isinstance(data, dict) or "frames" not in data:
        return None
    fault, instruction = data.get("fault"), data.get("instruction") or {}
    mount = data.get("mount") or {}
    return Site(
        frames=tuple(
            NativeFrame(str(frame[0]), int(frame[1]), str(frame[2])) for frame in data["frames"]
        ),
        counter=int(data.get("counter", 0)),
        code=str(data.get("code", "")),
        repeats=int(data.get("repeats", 0)),
        main_thread=bool(data.get("main_thread", True)),
        thread_stack_bytes=integer(data.get("thread_stack")),
        fault=_fault_address(fault) if isinstance(fault, dict) else None,
        instruction_set=str(instruction.get("set", "")),
        trap=str(instruction.get("trap", "")),
        lacking=instruction.get("lacking"),
        mount=str(mount.get("point", "")),
        mount_bytes=integer(mount.get("room")),
        mount_free_bytes=integer(mount.get("free")),
    )


def _fault_address(data: Mapping[str, Any]) -> FaultAddress:
    return FaultAddress(
        kind=str(data.get("kind", "unknown")),
        address=integer(data.get("address")),
        execution=bool(data.get("execution")),
        file=str(data.get("file", "")),
        file_offset=int(data.get("file_offset", 0)),
        file_bytes=integer(data.get("file_size")),
        deleted=bool(data.get("deleted")),
        permissions=str(data.get("permissions", "")),
        stack_bytes=integer(data.get("stack")),
    )


#: A shell around the program says 128 + n for signal n.
LEAST_STATUS_OF_A_SIGNAL = 128


def crash_of(readings: Readings, log: str, gaps: dict[str, str]) -> Crash | None:
    """The last words of a fatal signal."""
    crash = _told_crash(readings, log)
    if crash is None and readings.principal is not None and _may_have_crashed(readings.exit):
        gaps["crash"] = _why_no_crash(readings)
    return crash


def _may_have_crashed(end: Mapping[str, Any]) -> bool:
    """Unless it is known to have ended by itself, with a status that is no shell's word for a signal."""
    code = end.get("exit_code")
    return not isinstance(code, int) or code > LEAST_STATUS_OF_A_SIGNAL


def _why_no_crash(readings: Readings) -> str:
    """Why nothing tells where Python was when the fatal signal came."""
    if not readings.shimmed:
        return "Outlive's C library, which records crashes, was not loaded in the program"
    if any(seen.get("site") for shimmed in readings.shimmed for seen in shimmed.get("signals", ())):
        return "Python's faulthandler was not active at the crash (faulthandler.disable, another handler, or the interpreter had ended): only native frames were recorded"
    return "the signal reached no handler: it was raised where none could run, or another handler had replaced it"


def _told_crash(readings: Readings, log: str) -> Crash | None:
    principal = readings.principal
    own = {readings.pid, principal.pid} if principal else {readings.pid}
    told = sorted(
        (*readings.faults, *_last_words(readings)),
        key=lambda fault: principal is None or fault[0] != principal.pid,
    )
    if principal is not None and readings.exit.get("signal") is not None:
        told = [fault for fault in told if fault[0] in own]  # a worker's crash is not its parent's
    for pid, text in told:
        crash = crash_in(text, readings.lines, pid)
        if crash is not None:
            return crash
    return crash_in(log, readings.lines, readings.pid)


def _last_words(readings: Readings) -> list[tuple[int, str]]:
    """What a fault handler of the program's own wrote, wherever it wrote it."""
    return [
        (int(number(shimmed.get("pid")) or 0), str(shimmed.get("last_words", "")))
        for shimmed in readings.shimmed
    ]


ENDED_EARLY = "the program ended before its first stack was recorded"
MANY_INTERPRETERS = "the program can create subinterpreters: on Python 3.12 and later, reading its threads would crash it"


def stacks_of(readings: Readings, gaps: dict[str, str]) -> tuple[Stack, ...]:
    """Where the threads of the program were last seen."""
    principal = readings.principal
    if principal is None:
        gaps["stacks"] = confession(readings.rings) or (
            "no readable Python was seen: the program is not Python (CPython 3.9 or later), was started with -I, -E or -S or without PYTHONPATH (env -i, sudo), or ended while starting"
        )
        return ()
    newest = principal.stacks[-1].get("time") if principal.stacks else None
    changed: Payload = next((one for one in reversed(principal.stacks) if not one.get("same")), {})
    last = stacks_at(changed, readings.lines, readings.since_start(newest), principal.pid)
    if not last:
        hidden = any(record.get("hidden") for record in principal.stacks)
        gaps["stacks"] = MANY_INTERPRETERS if hidden else ENDED_EARLY
    return last
