"""When somebody asks: what does every thread wait for, and what is known of the things that it may wait for?

Asked for by a link in the record's folder (reading one opens nothing): by the supervisor when nothing has moved for long, and by
``outlive why PID``. A look names locks, queues, events, threads and their like that the running code can name, each with its state.
It calls nothing of the user's; what is read of an object is read by the built-in type's own methods. Bounded in time and in size.
"""

from __future__ import annotations

import os
import sys

from ..memory.census import Standstill, locals_of, text_of
from ..notes import kinds
from ..notes.describe import in_short, masked
from ..start.clock import Clock
from ..start.frames import current_frames
from ..start.real import Real
from .stack_sampler import thread_name

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple

    from ..notes.journal import Journal

    Thing = Dict[str, Any]

SECONDS = 0.06
MAX_THREADS = 40
INNERMOST_FRAMES = 24
OUTERMOST_FRAMES = 6

#: Of these the things are named although the code is a library's: a lock that TensorFlow or ``logging`` waits for is one of them.
INNERMOST_LOOKED_INTO = 4
MAX_THINGS_OF_A_FRAME = 24
FEW_ELEMENTS = 24
MAX_ATTRIBUTES = 80

#: An index of a list of locks, no more.
LARGEST_INDEX = 10_000
DICT: Any = dict


class Look:
    """Answers each question once. Loaded when the first one is asked."""

    def __init__(self, journal: Journal, is_own: Callable[[str], bool]) -> None:
        self._journal = journal
        self._is_own = is_own
        self._answered = ""

    def answer(self, asked: str) -> None:
        """Look, unless this was asked before."""
        if asked == self._answered:
            return
        self._answered = asked
        began = Clock.perf_counter()
        try:
            with Standstill():
                threads = Threads(self._is_own, Clock.perf_counter() + SECONDS).described()
                tasks = tasks_of_asyncio()
        except Exception as error:
            threads, tasks = [], []
            failed = in_short(error, 200)
            self._journal.note(kinds.LOOK, asked=asked, failed=failed)
        if threads:
            took = round((Clock.perf_counter() - began) * 1000, 1)
            told = [{**task, "name": masked(task["name"])} for task in tasks]
            self._journal.look(asked=asked, took_ms=took, threads=threads, tasks=told)


class Threads:
    """One look at all threads."""

    def __init__(self, is_own: Callable[[str], bool], deadline: float) -> None:
        self._is_own = is_own
        self._deadline = deadline

    def described(self) -> List[Dict[str, Any]]:
        """Every thread but ours, with the things that its frames can name."""

        mine = Real.get_ident()
        frames = current_frames()
        alive = frozenset(frames)
        main = getattr(getattr(sys.modules.get("threading"), "_main_thread", None), "_ident", None)
        known = dict(getattr(sys.modules.get("threading"), "_active", {}))
        found = []
        for ident, frame in list(frames.items())[: MAX_THREADS + 1]:
            if ident == mine:
                continue
            thread = known.get(ident)
            is_main = ident == main if main is not None else frame_is_outermost_main(frame)
            found.append(
                {
                    "ident": ident,
                    "native": os.getpid() if is_main else getattr(thread, "_native_id", None),
                    "name": thread_name(ident),
                    "main": is_main,
                    "daemon": bool(getattr(thread, "_daemonic", False)),
                    "frames": self._frames(frame, alive),
                }
            )
            del frame
        return found

    def _frames(self, frame: Any, alive: Any) -> List[List[Any]]:
        found: List[List[Any]] = []
        depth = 0
        while frame is not None:
            code = frame.f_code
            entry: List[Any] = [code.co_filename, frame.f_lineno or 0, code.co_name]
            looked_into = depth < INNERMOST_LOOKED_INTO or self._is_own(code.co_filename)
            if looked_into and Clock.perf_counter() < self._deadline:
                entry.append(things_named_in(frame, alive))
            found.append(entry)
            frame, depth = frame.f_back, depth + 1
        if len(found) > INNERMOST_FRAMES + OUTERMOST_FRAMES:
            return found[:INNERMOST_FRAMES] + found[-OUTERMOST_FRAMES:]
        return found


def tasks_of_asyncio() -> List[Dict[str, Any]]:
    """Tasks that are not done, with the lines at which they stand: no thread's stack shows them."""
    module = sys.modules.get("asyncio.tasks")
    known = getattr(module, "_scheduled_tasks", None) or getattr(module, "_all_tasks", None)
    found = []
    for reference in list(getattr(known, "data", ()))[:MAX_THREADS]:
        task = reference()
        if text_of(type(task), "__module__") not in ("_asyncio", "asyncio.tasks") or task.done():
            continue
        frames: List[List[Any]] = []
        awaited = task.get_coro()
        while getattr(awaited, "cr_frame", None) is not None and len(frames) < INNERMOST_FRAMES:
            code = awaited.cr_frame.f_code
            frames.insert(0, [code.co_filename, awaited.cr_frame.f_lineno or 0, code.co_name])
            awaited = awaited.cr_await
        found.append({"name": str(task.get_name()), "frames": frames})
    return found


def frame_is_outermost_main(frame: Any) -> bool:
    """Where ``threading`` was never imported: the thread that runs ``__main__``."""
    while frame.f_back is not None:
        frame = frame.f_back
    return bool(frame.f_globals.get("__name__") == "__main__")


def things_named_in(frame: Any, alive: Any) -> Dict[str, Thing]:
    """What a frame can name and a thread can wait for: ``lock``, ``self.lock``, ``locks[2]``, ``module.LOCK``."""
    code = frame.f_code
    found: Dict[str, Thing] = {}
    numbers: Dict[str, Any] = {}
    names = locals_of(frame)
    if code.co_flags & 1:
        for name, value in names.items():
            if name == "timeout":
                numbers["timeout"] = value if type(value) in (int, float) else None
            elif type(value) is int and 0 <= value <= LARGEST_INDEX:
                numbers[name] = value
        scope = {name: frame.f_globals[name] for name in code.co_names if name in frame.f_globals}
    else:  # of a module: everything is global, so only what the code speaks of
        scope = {name: names[name] for name in code.co_names if name in names}
        names = {}
    used = frozenset(code.co_names)
    for name, value in [*names.items(), *scope.items()]:
        for path, thing in named(str(name), value, used, alive):
            if len(found) < MAX_THINGS_OF_A_FRAME:
                found[path] = thing
    if numbers and (found or "timeout" in numbers):
        found["#"] = numbers
    return found


def named(name: str, value: Any, used: Any, alive: Any) -> Iterable[Tuple[str, Thing]]:
    """A value that can be waited for, or those that it holds: elements, attributes, and theirs."""
    thing = thing_of(value, alive)
    if thing is not None:
        yield name, thing
        return
    yield from elements_of(name, value, alive)
    for attribute, inner in attributes_of(value, used):
        path = f"{name}.{attribute}"
        thing = thing_of(inner, alive)
        if thing is not None:
            yield path, thing
            continue
        yield from elements_of(path, inner, alive)
        for last, innermost in attributes_of(inner, used):
            thing = thing_of(innermost, alive)
            if thing is not None:
                yield f"{path}.{last}", thing


def elements_of(name: str, value: Any, alive: Any) -> Iterable[Tuple[str, Thing]]:
    """The elements of a small list, tuple or dictionary of locks and their like."""
    kind = type(value)
    pairs: List[Tuple[Any, Any]] = []
    if kind in (list, tuple) and kind.__len__(value) <= FEW_ELEMENTS:
        pairs = list(enumerate(kind.__iter__(value)))
    elif kind is dict and DICT.__len__(value) <= FEW_ELEMENTS:
        pairs = [pair for pair in DICT.items(value) if type(pair[0]) in (int, str)]
    for key, inner in pairs:
        thing = thing_of(inner, alive)
        if thing is not None:
            yield f"{name}[{key!r}]", thing


def attributes_of(value: Any, used: Any) -> List[Tuple[str, Any]]:
    """Attributes of an object, a class or a module that the code speaks of; no property is asked."""
    try:
        if issubclass(type(value), type):
            names = type.__getattribute__(value, "__dict__")
        else:
            names = object.__getattribute__(value, "__dict__")
        return [(name, names[name]) for name in list(used)[:MAX_ATTRIBUTES] if name in names]
    except AttributeError:
        return slots_of(value, used)
    except Exception:
        return []


def slots_of(value: Any, used: Any) -> List[Tuple[str, Any]]:
    """The same for an object with ``__slots__``."""
    found = []
    for base in type.mro(type(value)):
        names = type.__getattribute__(base, "__dict__")
        for name in list(used)[:MAX_ATTRIBUTES]:
            slot = names.get(name)
            if text_of(type(slot), "__name__") == "member_descriptor":
                try:
                    found.append((name, type(slot).__get__(slot, value, base)))
                except Exception:
                    continue
    return found


def thing_of(value: Any, alive: Any) -> Optional[Thing]:
    """Describe an object that can be waited for, with its state; ``None`` for everything else."""
    kind: Any = type(value)
    module, name = text_of(kind, "__module__"), text_of(kind, "__name__")
    try:
        if module == "_thread" and name == "lock":
            return {"kind": "lock", "id": id(value), "locked": bool(kind.locked(value))}
        if module == "_thread" and name == "RLock":
            return {"kind": "rlock", "id": id(value), **owner_in(str(kind.__repr__(value)))}
        if module == "_queue" and name == "SimpleQueue":
            return {"kind": "queue", "id": id(value), "size": int(kind.qsize(value))}
        for base in type.mro(kind):
            told = KINDS.get((text_of(base, "__module__"), text_of(base, "__name__")))
            if told is not None:
                names = object.__getattribute__(value, "__dict__")
                return {"id": id(value), **told(names, alive)}
    except Exception:
        return None
    return None


def owner_in(text: str) -> Thing:
    """An RLock tells its owner in its own words alone: ``<locked _thread.RLock object owner=140… count=1 at 0x7f…>``."""
    number = text.partition("owner=")[2].partition(" ")[0]
    owner = int(number) if number.isdigit() else 0
    return {"locked": owner != 0, "owner": owner or None}


def condition(names: Any, alive: Any) -> Thing:
    """A condition is held by whoever holds its lock."""
    lock = thing_of(names["_lock"], alive) or {}
    return {**lock, "kind": "condition", "waiters": len(names["_waiters"])}


def event(names: Any, alive: Any) -> Thing:
    """Say whether the event is set."""
    return {"kind": "event", "set": bool(names["_flag"])}


def semaphore(names: Any, alive: Any) -> Thing:
    """How often it may still be taken."""
    return {"kind": "semaphore", "size": int(names["_value"])}


def barrier(names: Any, alive: Any) -> Thing:
    """How many are there, and how many it waits for."""
    return {"kind": "barrier", "size": int(names["_count"]), "limit": int(names["_parties"])}


def queue(names: Any, alive: Any) -> Thing:
    """How many items it holds and may hold, and how many are not done."""
    size = len(names["queue"])
    return {
        "kind": "queue",
        "size": size,
        "limit": int(names["maxsize"]),
        "unfinished": int(names["unfinished_tasks"]),
    }


def thread(names: Any, alive: Any) -> Thing:
    """Which thread it stands for."""
    ident = names.get("_ident")
    return {"kind": "thread", "target": ident, "alive": ident in alive}


def future(names: Any, alive: Any) -> Thing:
    """How far its task is."""
    return {"kind": "future", "state": str(names["_state"])}


def process(names: Any, alive: Any) -> Thing:
    """Which process it stands for."""
    popen = names.get("_popen")
    return {"kind": "process", "target": getattr(popen, "pid", None)}


def child(names: Any, alive: Any) -> Thing:
    """Which program it stands for."""
    return {"kind": "subprocess", "target": names.get("pid")}


def shared_lock(names: Any, alive: Any) -> Thing:
    """A lock between processes."""
    locked = int(names["_semlock"]._get_value()) == 0
    mine = bool(names["_semlock"]._is_mine())
    return {"kind": "process lock", "locked": locked, "mine": mine}


def shared_queue(names: Any, alive: Any) -> Thing:
    """A queue between processes: how full it is cannot be asked without touching it."""
    return {"kind": "process queue"}


def loop(names: Any, alive: Any) -> Thing:
    """An event loop: what it has to do by itself, and how many descriptors may wake it (one is its own)."""
    selector = object.__getattribute__(names["_selector"], "__dict__")
    waiting = len(names["_ready"]) + len(names["_scheduled"])
    return {"kind": "loop", "size": waiting, "limit": len(selector["_fd_to_key"])}


def pool_result(names: Any, alive: Any) -> Thing:
    """Describe the result of a task in a pool."""
    return {"kind": "pool result"}


KINDS: Dict[Tuple[str, str], Callable[[Any, Any], Thing]] = {
    ("threading", "Condition"): condition,
    ("threading", "Event"): event,
    ("threading", "Semaphore"): semaphore,
    ("threading", "Barrier"): barrier,
    ("threading", "Thread"): thread,
    ("queue", "Queue"): queue,
    ("concurrent.futures._base", "Future"): future,
    ("multiprocessing.process", "BaseProcess"): process,
    ("multiprocessing.synchronize", "SemLock"): shared_lock,
    ("multiprocessing.queues", "Queue"): shared_queue,
    ("multiprocessing.queues", "SimpleQueue"): shared_queue,
    ("multiprocessing.pool", "ApplyResult"): pool_result,
    ("subprocess", "Popen"): child,
    ("asyncio.base_events", "BaseEventLoop"): loop,
}
