"""What py-spy sees in a living Python that was not started by Outlive, made into the record that it would have written itself.

py-spy reads the other process's memory and does not stop it (``--nonblocking``). See docs/adr for why it and not another.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

from outlive.inside.notes import kinds
from outlive.inside.notes.format import encode
from outlive.recorder.bounded_command import ask
from outlive.recorder.store.run_folders import write_private

SECONDS = 20
INSTALL = "pip install 'outlive[why]'"

#: Classes of what can be waited for, by the name that py-spy shows.
KINDS = {
    "_thread.lock": "lock",
    "_thread.RLock": "rlock",
    "Condition": "condition",
    "Event": "event",
    "Semaphore": "semaphore",
    "BoundedSemaphore": "semaphore",
    "Barrier": "barrier",
    "Queue": "queue",
    "LifoQueue": "queue",
    "PriorityQueue": "queue",
    "JoinableQueue": "process queue",
    "SimpleQueue": "queue",
    "Future": "future",
}


class CannotSpy(Exception):
    """Nothing could be seen; says why."""


def spy(pid: int) -> list[dict[str, Any]]:
    """The threads of a process, as py-spy shows them."""
    program = shutil.which("py-spy") or _beside_this_python()
    if program is None:
        raise CannotSpy(f"py-spy is not installed: {INSTALL}")
    command = [program, "dump", "--pid", str(pid), "--json", "--locals", "--nonblocking"]
    try:
        said = ask(command, SECONDS)
        threads = json.loads(said.out) if said.status == 0 else None
    except (OSError, ValueError) as error:
        raise CannotSpy(f"py-spy failed: {type(error).__name__}") from error
    if said.status is None:
        raise CannotSpy(f"py-spy failed: no answer within {SECONDS} s")
    if not isinstance(threads, list):
        first = next((line for line in said.errors.splitlines() if line.strip()), "it said nothing")
        hint = (
            "; as root it may"
            if "ermission" in said.errors or "not permitted" in said.errors
            else ""
        )
        raise CannotSpy(f"py-spy could not read it: {first.removeprefix('Error: ')[:200]}{hint}")
    return [thread for thread in threads if isinstance(thread, dict)]


def _beside_this_python() -> str | None:
    path = os.path.join(os.path.dirname(sys.executable), "py-spy")
    return path if os.access(path, os.X_OK) else None


def write_record(
    folder: str, pid: int, parent: int, threads: Sequence[Mapping[str, Any]], question: str
) -> None:
    """A file such as the recorder inside would have left: who it is, its stacks, and its answer to a question."""
    now = time.time()
    targets = _threads_by_object(threads)
    told = [_thread(thread, pid, targets) for thread in threads]
    plain = [{**thread, "frames": [frame[:3] for frame in thread["frames"]]} for thread in told]
    payloads = [
        {"kind": kinds.PROCESS, "time": now, "pid": pid, "parent": parent, "python": "3"},
        {"kind": kinds.STACK, "time": now, "threads": plain},
        {"kind": kinds.LOOK, "time": now, "pid": pid, "asked": question, "threads": told},
    ]
    data = b"".join(encode(number, payload) for number, payload in enumerate(payloads, 1))
    write_private(os.path.join(folder, f"{pid}-0.ring"), data)


def _thread(thread: Mapping[str, Any], pid: int, targets: Mapping[int, int]) -> dict[str, Any]:
    native = thread.get("os_thread_id")
    name = thread.get("thread_name")
    return {
        "ident": thread.get("thread_id"),
        "native": native,
        "name": str(name or thread.get("thread_id", "")),
        "main": native == pid,
        "frames": [_frame(frame, targets) for frame in thread.get("frames", ())],
    }


def _frame(frame: Mapping[str, Any], targets: Mapping[int, int]) -> list[Any]:
    """File, line, bare name of the function, the locals that can be waited for, and where all locals lie."""
    things: dict[str, Any] = {
        "@": {str(local.get("name")): local.get("addr") for local in frame.get("locals") or ()}
    }
    for local in frame.get("locals") or ():
        kind, address = _class_in(str(local.get("repr", ""))), local.get("addr")
        if kind in KINDS:
            things[str(local["name"])] = {"kind": KINDS[kind], "id": address}
        elif address in targets:
            things[str(local["name"])] = {
                "kind": "thread",
                "id": address,
                "target": targets[address],
            }
    function = str(frame.get("name", "")).rpartition(".")[2]
    return [str(frame.get("filename", "")), frame.get("line", 0), function, things]


def _class_in(text: str) -> str:
    """``_thread.lock`` of ``<_thread.lock at 0x7f…>``."""
    return text[1:].partition(" at 0x")[0] if text.startswith("<") else ""


def _threads_by_object(threads: Sequence[Mapping[str, Any]]) -> dict[int, int]:
    """The objects of ``threading.Thread``: each is the ``self`` of the frame in which its thread begins."""
    found: dict[int, int] = {}
    for thread in threads:
        for frame in thread.get("frames", ()):
            if str(frame.get("name", "")).rpartition(".")[2] == "_bootstrap":
                for local in frame.get("locals") or ():
                    if local.get("name") == "self":
                        found[int(local["addr"])] = int(thread["thread_id"])
    return found
