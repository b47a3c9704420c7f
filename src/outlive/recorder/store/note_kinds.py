"""Every kind of entry that a record holds, with the shape of its fields: the only form in which readers get them.

An entry that does not fit is left out and counted. The lists are as long as the recorder writes them, with room to spare.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from outlive.inside.notes import kinds
from outlive.inside.notes.format import Frame
from outlive.recorder.store.field_shapes import (
    LARGEST_WHOLE,
    MOST_SIDES,
    Shape,
    Unfit,
    fields,
    filled,
    flag,
    listed,
    maybe,
    moment,
    nested,
    number,
    one_of,
    path,
    plain,
    positive,
    row,
    side,
    table,
    text,
    whole,
)

#: Exceptions behind an exception; the recorder writes six.
MOST_CAUSES = 8
LONGEST_MESSAGE = 20_000
LONGEST_SOURCE = 200_000
LONGEST_STDERR = 150_000
#: Of the kernel log; the lines that matter have some hundred characters.
LONGEST_KERNEL_LINE = 1200

#: The entry that stands for those that do not fit.
UNREADABLE = "unreadable"

texts = listed(text())
numbers = listed(whole, 4000)

LONGEST_WORD = 1000
word = text(LONGEST_WORD)
long_place = row(word, whole, word)
#: The recorder keeps 52 of a stack.
MOST_FRAMES = 60


def place(value: Any) -> list[Any]:
    """File, line and function. Of a record these are most of the values: one that fits is not made anew (a third of the time)."""
    if isinstance(value, list) and len(value) == 3:
        file, line, function = value
        known = isinstance(file, str) and isinstance(line, int) and isinstance(function, str)
        if known and len(file) + len(function) <= LONGEST_WORD and 0 <= line < LARGEST_WHOLE:
            return value
    found: list[Any] = long_place(value)
    return found


frames = listed(place, MOST_FRAMES)
limits = table(row(maybe(whole), maybe(whole)), 100)
#: Path, version, bytes used, limit, kills, refusals; the last two are younger than the others.
GROUP_WIDTH = 6
short_group = row(
    word, maybe(whole), maybe(whole), maybe(whole), maybe(whole), maybe(whole), least=4
)  # fmt: skip


def group(value: Any) -> list[Any]:
    """A memory cgroup; what was not read of it is nothing."""
    found: list[Any] = short_group(value)
    return found + [None] * (GROUP_WIDTH - len(found))


groups = listed(group, 64)
#: Number and bytes, the largest first.
neighbours = listed(row(whole, whole), 8)
task_groups = listed(row(word, maybe(whole), maybe(whole), maybe(whole)), 64)
cpu_groups = listed(row(word, whole, whole, whole, whole), 64)
counters = fields({"at": number, "groups": groups, "members": numbers, "machine_oom_kills": whole})

#: What watches are asked about beside the sample.
reading = fields(
    {
        **dict.fromkeys(("cpu", "ran", "waited", "busy", "stolen"), number),
        **dict.fromkeys(("machine_cpus", "cpus", "threads", "most_threads", "slept"), whole),
        "files": whole,
        "most_files": whole,
        "quotas": cpu_groups,
        "disks": table(row(whole, whole), 16),
        "gpus": listed(row(whole, whole), 64),
        "data": row(whole, whole, whole, word),
    }
)

error = nested(
    fields(
        {
            "type": word,
            "bases": listed(word, 20),
            "message": text(LONGEST_MESSAGE),
            "frames": frames,
            "depth": whole,
            "notes": listed(text(), 10),
            "errno": whole,
            "file": word,
            "target": word,
            "module": word,
            "members": listed(text(), 20),
            "explicit": flag,
            "slug": word,
        }
    ),
    "cause",
    MOST_CAUSES,
)

#: The way to a value, step by step, and where it begins.
step = row(word, text(200))
steps = listed(step, 40)
named = {"path": steps, "file": word, "scope": word}

way = filled(steps)
name = fields({**named, "path": way}, needs=("path",))
container = fields(
    {
        "kind": word,
        "length": whole,
        "bytes": whole,
        "holds": text(),
        "within": text(),
        "errors": flag,
        "inner": whole,
        "bound": whole,
        "line": whole,
        "whole": flag,
        "names": listed(name, 8),
    }
)
keeper = fields(
    {"length": whole, "holds": text(), "names": filled(listed(name, 8))}, needs=("names",)
)
around = fields(
    {
        "files": fields(
            {
                "count": whole,
                "limit": whole,
                "hard": whole,
                "groups": listed(row(word, whole), 20),
            }
        ),
        "kept": listed(keeper, 20),
        "threads": fields(
            {
                "count": whole,
                "python": whole,
                "limit": whole,
                "hard": whole,
                "address_limit": whole,
                "mapped": whole,
                "user": whole,
                "groups": listed(row(word, whole), 20),
                "running": listed(row(place, whole), 20),
            }
        ),
        "paths": listed(word, 40),
        "texts": listed(word, 40),
        "libraries": listed(word, 40),
    }
)

sides = listed(maybe(side), MOST_SIDES)
value = fields(
    {
        "name": word,
        "frame": place,
        "kind": word,
        "shape": sides,
        "dtype": word,
        "path": word,
        "bytes": whole,
        "crc": whole,
        "mode": word,
        "not_finite": whole,
        "count": whole,
        "shapes": listed(row(row(sides, word), whole, whole), 40),
        "paths": listed(word, 400),
        "number": plain,
    },
    needs=("frame",),
)
scene_fields: dict[str, Shape] = {
    "values": listed(value, 200),
    "pipeline": fields(
        {
            "stages": listed(fields({"kind": word, "frames": frames}), 200),
            "files": listed(word, 400),
        }
    ),
    "operation": word,
    "made": frames,
    "cwd": word,
}

array = fields(
    {
        **named,
        "path": way,
        "dtype": word,
        "shape": listed(side, MOST_SIDES),
        "bytes": whole,
        "count": whole,
        "fits": word,
    },
    needs=("path",),
)
census: dict[str, Shape] = {
    "rss": whole,
    "own": whole,
    "limit": whole,
    "tensors": whole,
    "python": whole,
    "mapped": whole,
    "address_limit": maybe(whole),
    "heap": row(maybe(whole), maybe(whole), maybe(whole), maybe(whole)),
    "arenas": row(maybe(whole), maybe(whole)),
    "buffered": listed(text(200_000), 20),
    "failed": text(),
    "held": listed(container, 20),
    "graphs": listed(
        fields(
            {"name": word, "operations": whole, "bytes": whole, "step": whole, "frames": frames}
        ),
        20,
    ),
    "tapes": listed(
        fields({**named, "path": way, "id": whole, "kept": whole, "persistent": flag}, ("path",)),
        20,
    ),
    "arrays": listed(array, 40),
    "traced": listed(
        fields(
            {
                "name": word,
                "count": whole,
                "file": word,
                "line": whole,
                "function": word,
                "argument": word,
                "examples": listed(text(), 20),
            }
        ),
        40,
    ),
    "callees": table(text(), 100),
    "sources": table(text(LONGEST_SOURCE), 20),
    "pictures": listed(word, 40),
    "folders": listed(word, 20),
    "picture_sizes": listed(row(word, side, side), 100),
    "listed": listed(word, 400),
    "allocated": fields({"total": whole, "lines": listed(row(word, whole, whole, whole), 20)}),
}

thing = fields(
    {
        "kind": word,
        "id": whole,
        "locked": flag,
        "owner": whole,
        "target": whole,
        "size": whole,
        "limit": whole,
        "unfinished": whole,
        "state": word,
    }
)
#: Numbers ("#") and addresses ("@") of local names stand beside the things that can be waited for.
numbers_of_names = table(maybe(number), 400)


def things(found: Any) -> dict[str, Any]:
    """What a frame can name and a thread can wait for."""
    if not isinstance(found, dict):
        raise Unfit("no things")
    return {
        word(key): (numbers_of_names if key in ("#", "@") else thing)(item)
        for key, item in list(found.items())[:100]
    }


looked_into = listed(row(word, whole, word, things, least=3), MOST_FRAMES)
thread = {"name": word, "main": flag, "frames": frames}

site = fields(
    {
        "unread": text(),
        "counter": whole,
        "code": text(),
        "frames": listed(row(word, whole, word), 100),
        "repeats": whole,
        "thread_stack": whole,
        "main_thread": flag,
        "fault": fields(
            {
                "kind": word,
                "address": whole,
                "execution": flag,
                "file": word,
                "file_offset": whole,
                "file_size": whole,
                "deleted": flag,
                "permissions": word,
                "stack": whole,
            }
        ),
        "instruction": fields({"set": word, "trap": word, "lacking": flag}),
        "mount": fields({"point": word, "room": whole, "free": whole}),
    }
)
seen_signal = fields(
    {
        "signal": whole,
        "code": whole,
        "sender": whole,
        "uid": whole,
        "user": word,
        "command": text(),
        "ancestors": listed(word, 40),
        "time": moment,
        "address": whole,
        "thread": word,
        "site": site,
    }
)

world: dict[str, Shape] = {
    "before": counters,
    "after": counters,
    "family": numbers,
    "kernel_lines": listed(text(LONGEST_KERNEL_LINE), 100),
    "own_pid_namespace": flag,
}
room = fields(
    {
        "path": word,
        "point": word,
        "kind": word,
        "free": whole,
        "total": whole,
        "files": whole,
        "how": one_of("full", "in hand", "named"),
        "piles": listed(row(word, positive, whole), 40),
    }
)
looked_at = fields(
    {
        "path": word,
        "known_by": word,
        "bytes": whole,
        "fault": text(),
        "record": whole,
        "offset": whole,
        "detail": text(),
        "features": listed(fields({"name": word, "kind": word, "count": whole}), 100),
    }
)


#: Number, state, call, and what the call is about.
task = row(whole, word, word, word)
_by_process = table(listed(task, 2000), 100)


def tasks(found: Any) -> dict[str, Any]:
    """Threads by the number of their process."""
    told = _by_process(found)
    if not all(key.isascii() and key.isdecimal() and len(key) < 10 for key in told):
        raise Unfit("not a process ID")
    return dict(told)


#: What every entry may say.
COMMON: dict[str, Shape] = {
    "kind": word,
    "time": moment,
    "at": number,
    "pid": whole,
    "dropped_bytes": whole,
}

KINDS: dict[str, dict[str, Shape]] = {
    # The supervisor's log.
    kinds.RUN: {
        "version": whole,
        "command": listed(text(), 4000),
        "folder": path,
        "supervisor": whole,
        "supervisor_started": whole,
        "shell": flag,
        "rings": path,
        "host": table(word, 20),
        "memory_total": whole,
        "limits": limits,
        "task_groups": task_groups,
        "environment": table(text(), 400),
        "scheduler": table(text(), 100),
        "job": fields(
            {
                "name": text(),
                "rank": text(),
                "size": whole,
                "launcher": word,
                "attempt": whole,
                "addresses": table(text(), 1000),
            },
            needs=("name",),
        ),
        "baseline": counters,
        "revision": word,
        "terminal": flag,
        "stderr": word,
    },
    kinds.KERNEL: {"notebook": path, "connection": word},
    kinds.SAMPLE: {
        "rss": whole,
        "vm": whole,
        "threads": whole,
        "cpu": number,
        "tree": whole,
        "processes": whole,
        "groups": groups,
        "available": whole,
        "address_limit": whole,
        "machine_oom_kills": whole,
        "files": whole,
        "gpu": whole,
        "cached": table(whole, 64),
        "machine": whole,
        "reading": reading,
        "neighbours": neighbours,
    },
    kinds.HANG: {
        "seconds": number,
        "cpu_share": number,
        "working": flag,
        "asked": word,
        "tasks": tasks,
        **world,
    },
    kinds.MOVING: {},
    kinds.WARNING: {
        "slug": word,
        "says": text(),
        "facts": listed(row(word, plain, word), 40),
        "remedies": listed(row(text(), listed(text(), 8)), 8),
    },
    kinds.SIGNAL: {
        "signal": whole,
        "sender": whole,
        "uid": whole,
        "user": word,
        "command": listed(text(), 40),
        "ancestors": listed(word, 40),
    },
    kinds.STOPPED: {"signal": whole},
    kinds.CONTINUED: {},
    kinds.ENDED_BY_OUTLIVE: {},
    kinds.END: {
        "killed": whole,
        "cpu": number,
        "limits": limits,
        "neighbours": neighbours,
        "neighbour_commands": table(listed(text(), 8), 1000),
        **world,
    },
    kinds.AFTERMATH: {
        "task_groups": task_groups,
        "cpu_groups": cpu_groups,
        "installation": fields(
            {
                "prefix": word,
                "executable": word,
                "maker": word,
                "locked": flag,
                "packages": table(row(text(), text()), 2000),
            }
        ),
        "rooms": listed(room, 40),
        "libraries": listed(row(word, texts), 100),
        "found": table(text(), 100),
        "machine_files": row(maybe(whole), maybe(whole)),
        "other_python": word,
    },
    kinds.PACKAGES: {"found": table(word, 2000)},
    kinds.EXIT: {
        "signal": whole,
        "exit_code": whole,
        "core": flag,
        "max_rss": whole,
        "user_seconds": number,
        "system_seconds": number,
        "trouble": text(),
    },
    kinds.INSPECTION: {
        "files": listed(looked_at, 40),
        "folder": word,
        "seen": whole,
        "bad": whole,
        "whole": flag,
        "others": listed(word, 100),
        "exists": word,
        "similar": listed(word, 100),
    },
    kinds.GAP: {"name": word, "why": text()},
    kinds.STDERR: {"text": text(LONGEST_STDERR)},
    kinds.SOURCE: {"file": path, "text": text(LONGEST_SOURCE)},
    # The rings of the processes.
    kinds.PROCESS: {
        "parent": whole,
        "python": word,
        "libraries": listed(word, 100),
        "main": word,
        "threads_at_fork": whole,
        "others_at_fork": listed(word, 200),
        "prefix": word,
        "executable": word,
    },
    kinds.STACK: {"rss": whole, "same": flag, "threads": listed(fields(thread), 100)},
    kinds.LOOK: {
        "asked": word,
        "failed": text(),
        "threads": listed(
            fields(
                {
                    **thread,
                    "ident": whole,
                    "native": whole,
                    "daemon": flag,
                    "frames": looked_into,
                }
            ),
            200,
        ),
        "tasks": listed(fields({"name": word, "frames": looked_into}), 200),
    },
    kinds.ERROR: {
        "origin": word,
        "thread": word,
        "error": error,
        "mark": whole,
        "seen": flag,
        "around": around,
    },
    kinds.SHOWN: {"error": error, "scene": fields(scene_fields), "around": around},
    kinds.LOGGED: {"thread": word, "error": error},
    kinds.AROUND: {"around": around},
    kinds.SCENE: scene_fields,
    kinds.QUIT: {
        "call": word,
        "code": plain,
        "frames": frames,
        "error": error,
        "around": around,
        "lost": listed(row(word, whole), 100),
        "threads": listed(row(word, frames), 100),
    },
    kinds.KILL: {"target": whole, "signal": whole, "frames": frames},
    kinds.CHILD: {"child": whole, "code": whole, "name": word, "frames": frames, "asked": flag},
    kinds.SEEN: {"mark": whole, "child": whole},
    kinds.TIMER: {"which": whole, "seconds": number, "frames": frames},
    kinds.CLOSED: {"what": word, "thread": word, "frames": frames},
    kinds.CANCELLED: {"what": word, "thread": word, "frames": frames},
    kinds.STAGE: {
        "stage": word,
        "buffer": number,
        "count": whole,
        "element": whole,
        "frames": frames,
    },
    kinds.CENSUS: census,
    kinds.BRAKE: {"stops": whole},
    kinds.CAN_SAVE: {"how": word},
    kinds.HANDLED: {"how": word},
    kinds.SAVED: {"path": word, "by": word},
    kinds.RESTORED: {"path": word, "by": word},
    kinds.FORK_BY_NAME: {"frames": frames},
    kinds.LEAVING: {"main": word},
    kinds.UNLOADED: {"what": word, "why": text()},
    # What the shim kept; in a ring, whether it was loaded.
    kinds.SHIM: {
        "loaded": flag,
        "stderr": text(LONGEST_STDERR),
        "abort": text(LONGEST_MESSAGE),
        "last_words": text(LONGEST_STDERR),
        "signals": listed(seen_signal, 200),
    },
    # The cells of a notebook.
    kinds.CELL: {
        "id": word,
        "ident": listed(word, 20),
        "header": table(plain, 40),
        "code": text(LONGEST_SOURCE),
        "count": whole,
        "silent": flag,
        "cell": word,
    },
    kinds.FILE: {"id": word, "file": word},
    kinds.DONE: {"id": word, "error": error},
    kinds.SHUTDOWN: {},
    UNREADABLE: {"count": whole},
}

_SHAPES = {kind: fields({**COMMON, **own}) for kind, own in KINDS.items()}
#: Of an entry that this version does not know, only what every entry says.
_UNKNOWN = fields(COMMON)


def fitted(found: Iterable[Frame]) -> list[dict[str, Any]]:
    """The entries that fit their shapes; one more says how many do not."""
    fitting: list[dict[str, Any]] = []
    unfit = 0
    for frame in found:
        try:
            kind = word(frame.payload.get("kind", ""))
            fitting.append(_SHAPES.get(kind, _UNKNOWN)(frame.payload))
        except Unfit:
            unfit += 1
    return [*fitting, {"kind": UNREADABLE, "count": unfit}] if unfit else fitting


def unreadable(payloads: Iterable[Mapping[str, Any]]) -> int:
    """How many entries were left out."""
    return sum(
        int(payload.get("count", 0)) for payload in payloads if payload.get("kind") == UNREADABLE
    )
