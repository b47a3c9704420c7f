"""Readings of what surrounded the program -> evidence: open files, threads, room, libraries, the installation."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from outlive.coroner.gather.holders import feeding_place, said
from outlive.coroner.readings.readings import Payload, Readings, integer
from outlive.coroner.readings.source_lines import SourceLines
from outlive.inside.notes import kinds
from outlive.model.findings import Place
from outlive.model.surroundings_at_death import (
    Circumstances,
    CpuGroup,
    Installation,
    Keeper,
    Library,
    OpenFiles,
    Package,
    Pile,
    Room,
    Setting,
    TaskGroup,
    Threads,
)
from outlive.source.syntax import targets_of

#: The kernel writes "unlimited" as all bits set; Python reads it as -1.
UNLIMITED = 1 << 62


def circumstances_of(readings: Readings) -> Circumstances:
    """All that was looked at, by the program's last error and by the supervisor after it."""
    after = readings.one(kinds.AFTERMATH)
    around = _around(readings)
    return Circumstances(
        setting=_setting(readings),
        files=_open_files(around, readings.lines),
        threads=_threads(around, readings.lines),
        task_groups=_task_groups(readings.run.get("task_groups"), after.get("task_groups")),
        cpu_groups=tuple(
            CpuGroup(str(path), quota / 1000, periods, held, milliseconds / 1000)
            for path, quota, periods, held, milliseconds in _rows(after.get("cpu_groups"), 5)
        ),
        rooms=tuple(
            _room(data, readings.lines)
            for data in after.get("rooms") or ()
            if isinstance(data, dict)
        ),
        libraries=tuple(
            Library(readings.lines.shown(str(file)), tuple(map(str, needs)))
            for file, needs in _rows(after.get("libraries"), 2)
        ),
        found={str(name): str(path) for name, path in dict(after.get("found") or {}).items()},
        installation=_installation(after.get("installation")),
        other_python=str(after.get("other_python") or ""),
        machine_files=_pair(after.get("machine_files")),
    )


def _setting(readings: Readings) -> Setting:
    host = dict(readings.run.get("host") or {})
    known = [str(host[name]) for name in ("system", "kernel", "machine") if host.get(name)]
    return Setting(
        system=" ".join(known),
        revision=str(readings.run.get("revision") or ""),
        variables=_texts(readings.run.get("environment")),
        packages=_texts(readings.one(kinds.PACKAGES).get("found")),
    )


def _texts(data: Any) -> dict[str, str]:
    return {str(name): str(text) for name, text in data.items()} if isinstance(data, dict) else {}


def _around(readings: Readings) -> Payload:
    """What was seen at the last error that was about a limit: the program's own, else of any of its processes."""
    principal = readings.principal
    found: dict[str, Any] = {}
    for process in sorted(readings.processes, key=lambda process: process is principal):
        for note in process.notes:
            around = note.get("around")
            if isinstance(around, dict):
                found |= around
    return found


def _rows(data: Any, width: int) -> list[list[Any]]:
    """The rows of a table; what is none is skipped."""
    rows = data if isinstance(data, list) else []
    return [row for row in rows if isinstance(row, list) and len(row) == width]


def _limit(value: Any) -> int | None:
    found = integer(value)
    return found if found is not None and 0 <= found < UNLIMITED else None


def _pair(data: Any) -> tuple[int, int] | None:
    if isinstance(data, list) and len(data) == 2 and all(isinstance(part, int) for part in data):
        return data[0], data[1]
    return None


def _counted(data: Any) -> tuple[tuple[str, int], ...]:
    return tuple((str(what), int(count)) for what, count in _rows(data, 2))


def _open_files(around: Payload, lines: SourceLines) -> OpenFiles | None:
    data = around.get("files")
    if not isinstance(data, dict):
        return None
    keepers = [entry for entry in around.get("kept") or () if isinstance(entry, dict)]
    return OpenFiles(
        count=integer(data.get("count")) or 0,
        limit=_limit(data.get("limit")),
        hard=_limit(data.get("hard")),
        groups=tuple((lines.shown(what), count) for what, count in _counted(data.get("groups"))),
        keepers=tuple(_keeper(entry, lines) for entry in keepers),
    )


def _keeper(entry: Mapping[str, Any], lines: SourceLines) -> Keeper:
    name = entry["names"][0]
    place = feeding_place(name, {}, lines)
    return Keeper(
        name=said([(str(kind), str(text)) for kind, text in name["path"]]),
        length=int(entry.get("length", 0)),
        holds=str(entry.get("holds", "")),
        opened=opening_place(place, str(name.get("file", "")), lines) if place else None,
    )


def opening_place(feeds: Place, file: str, lines: SourceLines) -> Place:
    """Where the thing is made that a line puts into a container: ``f = open(…)`` above ``files.append(f)``."""
    tree = lines.tree(file)
    given = [
        value for call in tree.every(ast.Call) if call.lineno == feeds.line for value in call.args
    ]
    given += [
        node.value
        for node in tree.assignments
        if isinstance(node, ast.Assign | ast.AugAssign) and node.lineno == feeds.line
    ]
    put_in = {value.id for value in given if isinstance(value, ast.Name)}
    made = [
        node.lineno
        for node in tree.assignments
        if not isinstance(node, ast.AugAssign)
        and isinstance(node.value, ast.Call | ast.Await)
        and node.lineno <= feeds.line
        and put_in & {target.id for target in targets_of(node) if isinstance(target, ast.Name)}
    ]
    return lines.place((file, max(made), feeds.function)) if made else feeds


def _threads(around: Payload, lines: SourceLines) -> Threads | None:
    data = around.get("threads")
    if not isinstance(data, dict):
        return None
    return Threads(
        count=integer(data.get("count")) or 0,
        python=integer(data.get("python")) or 0,
        limit=_limit(data.get("limit")) if data.get("user") else None,  # root is not held to it
        address_limit=_limit(data.get("address_limit")),
        mapped_bytes=integer(data.get("mapped")) or 0,
        groups=_counted(data.get("groups")),
        running=tuple(
            (lines.place(place), int(count)) for place, count in _rows(data.get("running"), 2)
        ),
    )


def _task_groups(before: Any, after: Any) -> tuple[TaskGroup, ...]:
    """Counters at the start and after the death: what rose in between was refused to somebody in the group."""
    earlier = {row[0]: row[3] for row in _rows(before, 4)}
    found = []
    for path, limit, used, refused in _rows(after, 4):
        first = earlier.get(path)
        risen = refused - first if isinstance(refused, int) and isinstance(first, int) else None
        found.append(TaskGroup(str(path), _limit(limit), integer(used), risen))
    return tuple(found)


def _room(data: Mapping[str, Any], lines: SourceLines) -> Room:
    return Room(
        path=lines.shown(str(data.get("path", ""))),
        point=lines.shown(str(data.get("point", ""))),
        kind=str(data.get("kind", "")),
        free_bytes=integer(data.get("free")) or 0,
        total_bytes=integer(data.get("total")) or 0,
        free_files=integer(data.get("files")),
        how=str(data.get("how", "full")),
        piles=tuple(
            Pile(lines.shown(str(what)), int(count), int(total))
            for what, count, total in _rows(data.get("piles"), 3)
        ),
    )


def _installation(data: Any) -> Installation:
    if not isinstance(data, dict):
        return Installation()
    packages = {
        str(name): Package(str(name), str(row[0]), str(row[1]))
        for name, row in dict(data.get("packages") or {}).items()
        if isinstance(row, list) and len(row) == 2
    }
    return Installation(
        prefix=str(data.get("prefix", "")),
        executable=str(data.get("executable", "")),
        maker=str(data.get("maker", "")),
        locked=bool(data.get("locked")),
        packages=packages,
    )
