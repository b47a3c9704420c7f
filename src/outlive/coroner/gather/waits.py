"""Readings of a program that stands still -> evidence: what each thread waits for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from outlive.coroner.gather.wait_kinds import (
    LookedAt,
    Told,
    by_the_kernel,
    held_by,
    held_by_task,
    own_part,
    told_by,
    told_of_task,
)
from outlive.coroner.readings.readings import Payload, ProcessRecord, Readings, integer, number
from outlive.coroner.readings.source_lines import SourceLines, stacks_at
from outlive.inside.notes import kinds
from outlive.model.events import Stack
from outlive.model.findings import Place
from outlive.model.waits import Forked, Held, Standstill, Wait, Waiting
from outlive.source.locks import LockLines
from outlive.source.tree import tree_of

#: The sampler looks ten times a second. When it has not for this long, something holds the interpreter.
SILENT_SECONDS = 2.0


def standstill_of(readings: Readings, gaps: dict[str, str]) -> Standstill | None:
    """The last time that the program stood still, if it has not gone on since."""
    found = readings.hang
    if not found:
        return None
    sources = SourceReader(readings.lines)
    kernel = _kernel_waits(found)
    threads: list[tuple[Waiting, Told]] = []
    for process in readings.processes:
        if process.pid not in kernel:
            continue  # it has ended
        threads += _threads_of(process, found, kernel[process.pid], readings, sources, gaps)
    if not threads:
        gaps.setdefault("waits", "no thread of a readable Python was seen")
    seen = {thread.pid for thread, _ in threads}
    for pid in kernel.keys() - seen:
        threads += _from_the_kernel(pid, kernel[pid])
    return Standstill(
        seconds=number(found.get("seconds")) or 0.0,
        threads=_settled(threads),
        pid=readings.principal.pid if readings.principal else readings.pid,
        cpu_share=number(found.get("cpu_share")) or 0.0,
        forked=_forked(readings.processes),
        parents={p.pid: integer(p.introduction.get("parent")) or 0 for p in readings.processes},
        working=bool(found.get("working")),
        at=number(found.get("at")),
        tasks={pid: len(tasks) for pid, tasks in kernel.items()},
    )


class SourceReader:
    """Files of source code, each parsed once."""

    def __init__(self, lines: SourceLines) -> None:
        self._lines = lines
        self._parsed: dict[str, LockLines] = {}

    def __call__(self, place: Place) -> LockLines:
        """The parsed file of a place; an empty one when it cannot be read."""
        if place.file not in self._parsed:
            self._parsed[place.file] = LockLines(self._lines.tree(place.file))
        return self._parsed[place.file]


def _kernel_waits(found: Payload) -> dict[int, dict[int, tuple[str, str, str]]]:
    """Process -> thread -> state, call and target."""
    processes = found.get("tasks")
    waits: dict[int, dict[int, tuple[str, str, str]]] = {}
    for pid, tasks in processes.items() if isinstance(processes, dict) else ():
        waits[int(pid)] = {
            int(task[0]): (str(task[1]), str(task[2]), str(task[3]))
            for task in tasks
            if isinstance(task, list) and len(task) == 4
        }
    return waits


def _threads_of(
    process: ProcessRecord,
    found: Payload,
    kernel: Mapping[int, tuple[str, str, str]],
    readings: Readings,
    sources: Callable[[Place], LockLines],
    gaps: dict[str, str],
) -> list[tuple[Waiting, Told]]:
    looks = [
        look
        for look in process.of_kind(kinds.LOOK)
        if look.get("asked") == found.get("asked") and look.get("threads")
    ]
    if not looks:
        return _from_stacks(process, found, kernel, readings, gaps)
    at = readings.since_start(looks[-1].get("time"))
    threads = []
    for data in looks[-1]["threads"]:
        frames = own_part(_frames(data.get("frames"), readings.lines))
        stack = Stack(
            str(data.get("name", "")),
            tuple(frame.place for frame in frames),
            at,
            bool(data.get("main")),
            process.pid,
        )
        # A thread that Python does not know has no number for the kernel; of these only the Python side is told.
        waits = kernel.get(integer(data.get("native")) or 0, ("", "", ""))
        told = told_by(frames, waits, sources, stack.tensorflow_operation)
        waiting = Waiting(
            stack=stack,
            wait=told.wait,
            ident=integer(data.get("ident")) or 0,
            name=told.name,
            thing=told.thing,
            timed=told.timed,
            holds=held_by(frames, sources),
            daemon=bool(data.get("daemon")),
            call=" ".join(filter(None, waits[1:])),
        )
        threads.append((waiting, told))
    return threads + _tasks_of(process, looks[-1], readings.lines, sources)


def _tasks_of(
    process: ProcessRecord, look: Payload, lines: SourceLines, sources: Callable[[Place], LockLines]
) -> list[tuple[Waiting, Told]]:
    """The tasks of an event loop, as far as they are not done."""
    found = []
    for data in look.get("tasks") or ():
        frames = _frames(data.get("frames"), lines)
        told = told_of_task(frames, sources)
        stack = Stack(
            str(data.get("name", "")), tuple(frame.place for frame in frames), pid=process.pid
        )
        waiting = Waiting(
            stack=stack,
            wait=told.wait,
            name=told.name,
            thing=told.thing,
            holds=held_by_task(frames, sources),
            daemon=True,
            task=True,
        )
        found.append((waiting, told))
    return found


def _frames(data: Any, lines: SourceLines) -> list[LookedAt]:
    return [
        LookedAt(
            lines.place(frame[:3]),
            frame[3] if len(frame) > 3 and isinstance(frame[3], dict) else {},
        )
        for frame in (data if isinstance(data, list) else ())
        if isinstance(frame, list) and len(frame) >= 3
    ]


def _from_stacks(
    process: ProcessRecord,
    found: Payload,
    kernel: Mapping[int, tuple[str, str, str]],
    readings: Readings,
    gaps: dict[str, str],
) -> list[tuple[Waiting, Told]]:
    """The process did not answer: its last stacks are all there is."""
    newest = number(process.stacks[-1].get("time")) if process.stacks else None
    asked = number(found.get("time"))
    changed = [record for record in process.stacks if not record.get("same")]
    if not changed or newest is None:
        return []
    stacks = stacks_at(changed[-1], readings.lines, readings.since_start(newest), process.pid)
    silent = asked - newest if asked is not None else 0.0
    gaps["waits"] = (
        f"process {process.pid} did not answer: no Python code has run in it for {silent:.0f} s"
        if silent >= SILENT_SECONDS
        else f"process {process.pid} did not answer in time"
    )
    state, call, target = kernel.get(process.pid, ("", "", ""))
    told = Told(Wait.NATIVE if silent >= SILENT_SECONDS else Wait.UNKNOWN)
    if state in ("T", "t"):
        told = Told(Wait.STOPPED)
    main = told if told.wait is Wait.STOPPED else by_the_kernel(call, target, set()) or told
    return [
        (Waiting(stack=stack, wait=(main if stack.main else told).wait, call=call), told)
        for stack in stacks
    ]


def _from_the_kernel(
    pid: int, kernel: Mapping[int, tuple[str, str, str]]
) -> list[tuple[Waiting, Told]]:
    """Nothing is known of its Python: in which call of the kernel the main thread waits is all there is."""
    if pid not in kernel:
        return []
    told = told_by((), kernel[pid], lambda place: LockLines(tree_of("")), None)
    stack = Stack("MainThread", (), None, True, pid)
    call = " ".join(filter(None, kernel[pid][1:]))
    return [(Waiting(stack=stack, wait=told.wait, thing=told.thing, call=call), told)]


def _settled(threads: Sequence[tuple[Waiting, Told]]) -> tuple[Waiting, ...]:
    """``with a, b`` waits for one of the two: for the first that another thread is known to hold, else for the last."""
    held = {
        (thread.pid, held.thing.id): thread
        for thread, _ in threads
        for held in thread.holds
        if held.thing is not None
    }
    settled = []
    for thread, told in threads:
        earlier = [
            (name, thing)
            for name, thing in told.others
            if held.get((thread.pid, thing.id)) not in (None, thread)
        ]
        if earlier:
            thread = replace(thread, name=earlier[0][0], thing=earlier[0][1])
        elif told.others and thread.place is not None:
            own = tuple(Held(name, thread.place, thing) for name, thing in told.others)
            thread = replace(thread, holds=(*thread.holds, *own))
        settled.append(thread)
    return tuple(_behind_callbacks(settled))


def _behind_callbacks(threads: Sequence[Waiting]) -> list[Waiting]:
    """Who waits in native code while a thread that this has made runs a Python function: it waits for that one."""
    called = {thread.pid for thread in threads if thread.called_by_native_code and thread.at_work}
    return [
        replace(thread, wait=Wait.CALLBACK)
        if thread.in_native_code and thread.pid in called and not thread.called_by_native_code
        else thread
        for thread in threads
    ]


def _forked(processes: Sequence[ProcessRecord]) -> dict[int, Forked]:
    return {
        process.pid: Forked(
            parent=integer(process.introduction.get("parent")) or 0,
            threads=integer(process.introduction.get("threads_at_fork")) or 0,
            others=tuple(str(name) for name in process.introduction.get("others_at_fork") or ()),
        )
        for process in processes
        if "threads_at_fork" in process.introduction
    }
