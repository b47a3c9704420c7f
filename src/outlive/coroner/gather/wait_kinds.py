"""What does a thread wait for? Told by the frames of the standard library that it stands in, by the kernel, and by its line. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from outlive.model.findings import Place
from outlive.model.quick_dataclass import dataclass
from outlive.model.waits import Held, Thing, Wait
from outlive.source.locks import LockLines, Taken

#: Functions of the standard library in which threads wait: (end of the file's name, function) -> what for.
CALLS: Mapping[tuple[str, str], Wait] = {
    ("queue.py", "get"): Wait.ITEM,
    ("queue.py", "put"): Wait.ROOM,
    ("queue.py", "join"): Wait.TASKS_DONE,
    ("threading.py", "join"): Wait.THREAD,
    ("threading.py", "_wait_for_tstate_lock"): Wait.THREAD,
    ("threading.py", "_shutdown"): Wait.THREAD,
    ("threading.py", "wait"): Wait.CONDITION,
    ("threading.py", "wait_for"): Wait.CONDITION,
    ("threading.py", "acquire"): Wait.SEMAPHORE,
    ("threading.py", "__enter__"): Wait.LOCK,
    ("concurrent/futures/_base.py", "result"): Wait.FUTURE,
    ("concurrent/futures/_base.py", "exception"): Wait.FUTURE,
    ("concurrent/futures/_base.py", "result_iterator"): Wait.FUTURE,
    ("concurrent/futures/_base.py", "as_completed"): Wait.FUTURE,
    ("concurrent/futures/_base.py", "wait"): Wait.FUTURE,
    ("concurrent/futures/thread.py", "shutdown"): Wait.FUTURE,
    ("concurrent/futures/thread.py", "_python_exit"): Wait.FUTURE,
    ("concurrent/futures/process.py", "shutdown"): Wait.WORKERS,
    ("multiprocessing/pool.py", "get"): Wait.WORKERS,
    ("multiprocessing/pool.py", "wait"): Wait.WORKERS,
    ("multiprocessing/pool.py", "next"): Wait.WORKERS,
    ("multiprocessing/pool.py", "join"): Wait.WORKERS,
    ("multiprocessing/process.py", "join"): Wait.PROCESS,
    ("multiprocessing/queues.py", "get"): Wait.ITEM,
    ("multiprocessing/queues.py", "put"): Wait.ROOM,
    ("multiprocessing/queues.py", "join"): Wait.TASKS_DONE,
    ("multiprocessing/synchronize.py", "__enter__"): Wait.LOCK,
    ("multiprocessing/synchronize.py", "wait"): Wait.EVENT,
    ("multiprocessing/connection.py", "accept"): Wait.CONNECTION,
    ("multiprocessing/connection.py", "recv"): Wait.PIPE,
    ("multiprocessing/connection.py", "recv_bytes"): Wait.PIPE,
    ("multiprocessing/connection.py", "poll"): Wait.PIPE,
    ("multiprocessing/connection.py", "wait"): Wait.PIPE,
    ("subprocess.py", "wait"): Wait.SUBPROCESS,
    ("subprocess.py", "communicate"): Wait.SUBPROCESS,
    ("subprocess.py", "run"): Wait.SUBPROCESS,
    ("subprocess.py", "call"): Wait.SUBPROCESS,
    ("subprocess.py", "check_output"): Wait.SUBPROCESS,
    ("asyncio/base_events.py", "run_forever"): Wait.EVENTS,
    ("asyncio/locks.py", "wait"): Wait.EVENT,
    ("asyncio/locks.py", "acquire"): Wait.LOCK,
    ("asyncio/queues.py", "get"): Wait.ITEM,
    ("asyncio/queues.py", "put"): Wait.ROOM,
    ("asyncio/queues.py", "join"): Wait.TASKS_DONE,
    ("asyncio/tasks.py", "sleep"): Wait.SLEEP,
    ("socketserver.py", "serve_forever"): Wait.CONNECTION,
    ("selectors.py", "select"): Wait.EVENTS,
    ("socket.py", "accept"): Wait.CONNECTION,
    ("socket.py", "readinto"): Wait.CONNECTION,
    ("socket.py", "create_connection"): Wait.CONNECTION,
    ("ssl.py", "read"): Wait.CONNECTION,
    ("ssl.py", "do_handshake"): Wait.CONNECTION,
}

#: Threads and processes that stand in these, with nothing of the user's on top, wait for work.
IDLE = frozenset(
    {
        ("concurrent/futures/thread.py", "_worker"),
        ("concurrent/futures/process.py", "_process_worker"),
        ("concurrent/futures/process.py", "run"),
        ("multiprocessing/pool.py", "worker"),
        ("multiprocessing/pool.py", "_handle_workers"),
        ("multiprocessing/pool.py", "_handle_tasks"),
        ("multiprocessing/pool.py", "_handle_results"),
        ("multiprocessing/queues.py", "_feed"),
        ("multiprocessing/resource_sharer.py", "_serve"),
    }
)

#: A worker that was made by a fork still has the stack of its parent beneath this.
BEGINNING_OF_A_WORKER = ("multiprocessing/process.py", "_bootstrap")

THINGS: Mapping[str, Wait] = {
    "lock": Wait.LOCK,
    "rlock": Wait.LOCK,
    "process lock": Wait.LOCK,
    "condition": Wait.LOCK,
    "event": Wait.EVENT,
    "semaphore": Wait.SEMAPHORE,
    "barrier": Wait.BARRIER,
}
LOCKS = ("lock", "rlock", "condition", "process lock")

#: What the line itself calls, where the kernel could not be asked.
CALLED = {
    "sleep": Wait.SLEEP,
    "input": Wait.INPUT,
    "accept": Wait.CONNECTION,
    "recv": Wait.CONNECTION,
}


SIMPLE_CALLS = {
    "sleep": Wait.SLEEP, "accept": Wait.CONNECTION, "receive": Wait.CONNECTION, "connect": Wait.CONNECTION,
    "poll": Wait.EVENTS, "select": Wait.EVENTS, "wait": Wait.SUBPROCESS, "flock": Wait.FILE, "fcntl": Wait.FILE,
    "write": Wait.PIPE, "pause": Wait.SIGNAL, "sigwait": Wait.SIGNAL,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class LookedAt:
    """One frame of a thread, and the things that it can name."""

    place: Place
    things: Mapping[str, Any]

    def is_in(self, ends: tuple[str, str]) -> bool:
        """Whether it is this function of the standard library."""
        return (
            not self.place.own
            and self.place.function == ends[1]
            and self.place.file.endswith(f"/{ends[0]}")
            and not self.place.package
        )

    def thing(self, name: str) -> Thing | None:
        """What the frame calls so: ``lock``, ``self.lock``, ``locks[i]``."""
        found = self.things.get(name)
        if not isinstance(found, dict):
            base, _, index = name.removesuffix("]").rpartition("[")
            numbers = self.things.get("#") or {}
            found = self.things.get(f"{base}[{numbers.get(index)!r}]") if base else None
        if isinstance(found, dict):
            return thing_from(found)
        return self._by_address(name) if "@" in self.things else None

    def _by_address(self, name: str) -> Thing | None:
        """Seen from outside only the locals have an address: ``self.lock`` of the same object is the same lock."""
        base = re.split(r"[.\[]", name, maxsplit=1)[0]
        if not base.isidentifier() or "(" in name:
            return None
        address = self.things["@"].get(base)
        known = (address, name[len(base) :]) if address else (self.place.file, name)
        return Thing("lock", hash(known), locked=None)

    @property
    def timeout(self) -> bool | None:
        """Whether the call was given a timeout; ``None`` when it has no such argument."""
        numbers = self.things.get("#") or {}
        given = numbers.get("timeout")
        # Below 0 means none, in the calls that ``threading`` makes of its own.
        return (given is not None and given >= 0) if "timeout" in numbers else None


@dataclass(frozen=True, slots=True)
class Told:
    """The wait of one thread: its kind, what it waits for, whether it has a time limit."""

    wait: Wait
    name: str = ""
    thing: Thing | None = None
    timed: bool = False
    others: tuple[tuple[str, Thing], ...] = ()  #: ``with a, b``: the further locks of the same line


def thing_from(data: Mapping[str, Any]) -> Thing:
    """A thing as the program wrote it down."""
    return Thing(
        kind=str(data.get("kind", "")),
        id=int(data.get("id") or 0),
        locked=data.get("locked"),
        owner=data.get("owner"),
        target=data.get("target"),
        size=data.get("size"),
        limit=data.get("limit"),
        unfinished=data.get("unfinished"),
        state=str(data.get("state", "")),
    )


def own_part(frames: Sequence[LookedAt]) -> Sequence[LookedAt]:
    """The frames of this process: of a forked worker without those of its parent."""
    for index, frame in enumerate(frames):
        if frame.is_in(BEGINNING_OF_A_WORKER):
            return frames[: index + 1]
    return frames


def told_by(
    frames: Sequence[LookedAt],
    kernel: tuple[str, str, str],
    source: Callable[[Place], LockLines],
    operation: str | None,
) -> Told:
    """What a thread waits for. ``kernel``: its state, the call in which it waits, and what that call is about."""
    state, call, target = kernel
    if state in ("T", "t"):
        return Told(Wait.STOPPED)
    if state == "R" or call == "running":
        return Told(Wait.RUNNING)
    at_a_pipe = by_the_kernel(call, target, set()) if call == "write" else None
    if at_a_pipe is not None and at_a_pipe.wait is Wait.READER:
        return at_a_pipe  # whatever its frames are for: it cannot go on
    user = next((index for index, frame in enumerate(frames) if frame.place.own), len(frames))
    called = _library_call(frames[:user], frames[user] if user < len(frames) else None, source)
    if user == len(frames) and any(frame.is_in(idle) for frame in frames for idle in IDLE):
        return Told(Wait.WORK)
    if called is None and frames:
        called = _lock(frames[0], source, call)
    if called is not None:
        return called
    line = frames[user] if user < len(frames) else None
    words = source(line.place).calls(line.place.line) if line is not None and user == 0 else set()
    known = by_the_kernel(call, target, words)
    if known is not None:
        return known
    if line is not None and user == 0:
        queue = _queue(line, source)
        if queue is not None:
            return queue
    package = frames[0].place.package if frames else ""
    if package in ("tensorflow", "keras", "tf_keras"):
        return Told(Wait.TENSORFLOW, f"operation {operation}" if operation else "")
    return Told(next((CALLED[word] for word in words if word in CALLED), Wait.UNKNOWN))


def told_of_task(frames: Sequence[LookedAt], source: Callable[[Place], LockLines]) -> Told:
    """What a task of asyncio waits for: a call of asyncio's, else another task or future."""
    user = next((index for index, frame in enumerate(frames) if frame.place.own), len(frames))
    line = frames[user] if user < len(frames) else None
    called = _library_call(frames[:user], line, source)
    if called is not None and called.wait is Wait.LOCK and line is not None:
        taken = source(line.place).waits_at(line.place.line)[-1:]
        name = called.name or "".join(one.name for one in taken)
        return replace(called, name=name, thing=_by_name(line.place, name))
    return called or Told(Wait.FUTURE)


def held_by_task(
    frames: Sequence[LookedAt], source: Callable[[Place], LockLines]
) -> tuple[Held, ...]:
    """What a task runs under: only the names are known, and the same name in the same file is taken for the same lock."""
    return tuple(
        Held(
            taken.name,
            replace(frame.place, line=taken.line, code=""),
            _by_name(frame.place, taken.name),
        )
        for index, frame in enumerate(frames)
        if frame.place.own
        for taken in source(frame.place).held_at(
            frame.place.line, bool(index) and frames[index - 1].place.own
        )
    )


def _by_name(place: Place, name: str) -> Thing:
    return Thing("lock", hash((place.file, name)), locked=None)


def _library_call(
    library: Sequence[LookedAt], user: LookedAt | None, source: Callable[[Place], LockLines]
) -> Told | None:
    """The call of the standard library that the user's line made, the outermost that is known."""
    for frame in reversed(library):
        found = next((wait for ends, wait in CALLS.items() if frame.is_in(ends)), None)
        if found is None:
            continue
        thing = frame.thing("self")
        name = ""
        if user is not None and frame.place.function == "__enter__":
            name = "".join(
                taken.name for taken in source(user.place).waits_at(user.place.line)[-1:]
            )
        elif user is not None:
            name = source(user.place).receiver(user.place.line, frame.place.function)
        if thing is not None and found in (Wait.CONDITION, Wait.SEMAPHORE, Wait.LOCK):
            found = THINGS.get(thing.kind, found)
            if thing.kind == "condition" and frame.place.function != "__enter__":
                found = Wait.CONDITION
        if found is Wait.EVENTS and any(
            f.is_in(("socketserver.py", "serve_forever")) for f in library
        ):
            found = Wait.CONNECTION
        if found is Wait.EVENTS and thing is not None and not thing.size and thing.limit == 1:
            found = Wait.TASKS  # nothing is due, and no descriptor but its own can wake it
        timeouts = [inner.timeout for inner in library if inner.timeout is not None]
        timed = frame.timeout if frame.timeout is not None else (timeouts[0] if timeouts else False)
        return Told(found, name, thing, timed)
    return None


def _lock(frame: LookedAt, source: Callable[[Place], LockLines], call: str) -> Told | None:
    """The lock that the innermost line takes: ``with lock:`` and ``lock.acquire()`` wait in C, and leave no frame."""
    if call not in ("", "futex"):
        return None
    wanted: list[tuple[Taken, Thing]] = []
    named = source(frame.place).waits_at(frame.place.line)
    for taken in named:
        thing = frame.thing(taken.name)
        if thing is not None and thing.kind in LOCKS and thing.locked is not False:
            wanted.append((taken, thing))
    if not wanted:
        plain = [taken for taken in named if not taken.name.endswith(")")]
        if call != "futex" or not plain:
            return None
        return Told(Wait.LOCK, plain[-1].name, None, plain[-1].timed)
    taken, thing = wanted[-1]
    return Told(
        Wait.LOCK,
        taken.name,
        thing,
        taken.timed,
        tuple((earlier.name, other) for earlier, other in wanted[:-1]),
    )


def _queue(frame: LookedAt, source: Callable[[Place], LockLines]) -> Told | None:
    """A queue that is written in C (``queue.SimpleQueue``) waits without a frame."""
    name = source(frame.place).receiver(frame.place.line, "get")
    thing = frame.thing(name) if name else None
    return Told(Wait.ITEM, name, thing) if thing is not None and thing.kind == "queue" else None


def by_the_kernel(call: str, target: str, words: set[str]) -> Told | None:
    """What the kernel's word for it means; nothing where it is only a lock (``futex``)."""
    if call in ("read", "write") and " of " in target:
        other = target.rpartition(" of ")[2]
        partner = int(other) if other.isdigit() else None
        wait = Wait.READER if call == "write" else Wait.WRITER
        return Told(wait, "", Thing("pipe", 0, locked=True, target=partner))
    if call in ("read", "poll", "select") and (target.startswith("0 ") or "input" in words):
        return Told(Wait.INPUT)
    if call == "read":
        if "/dev/pts/" in target or "/dev/tty" in target:
            return Told(Wait.INPUT)
        if "pipe:" in target or "/" not in target:
            return Told(Wait.CONNECTION if "socket:" in target else Wait.PIPE)
        return Told(Wait.FILE)
    found = SIMPLE_CALLS.get(call)
    return Told(found) if found is not None else None


def held_by(frames: Sequence[LookedAt], source: Callable[[Place], LockLines]) -> tuple[Held, ...]:
    """The locks that a thread holds, by the code around each of its lines."""
    # Who waits for a notification has given the lock back for as long.
    released = {
        thing.id
        for frame in frames
        if frame.is_in(("threading.py", "wait")) and (thing := frame.thing("self")) is not None
    }
    found: dict[int, Held] = {}
    for index, frame in enumerate(frames):
        if not frame.things:
            continue
        called = frames[index - 1].place.function if index else "__enter__"
        inside = called not in ("__enter__", "__exit__")
        for taken in source(frame.place).held_at(frame.place.line, inside):
            thing = frame.thing(taken.name)
            if thing is None or thing.id in released:
                continue
            if thing.kind in LOCKS and thing.locked is not False:
                place = replace(frame.place, line=taken.line, code="")
                found.setdefault(thing.id, Held(taken.name, place, thing))
    return tuple(found.values())
