"""The life of a worker: prepare inputs in threads, run them in groups, send the results, and say at every moment what it is at.

A task is made here, by a function that is named ``module:function``. What a task has: ``most`` (inputs that its model takes at once),
``facts`` (what its parent shall know), ``room_bytes`` (for one run of the model; None: not known), ``prepare(item) -> Ready`` and
``run([things]) -> [values]``. Preparing runs in several threads, ahead of the model, so that decoding costs no time; how much is
prepared ahead is bounded in bytes. A task is given ``going``: called now and then in what takes long, from any thread, it says that this is no
standstill.
"""

from __future__ import annotations

import faulthandler
import importlib
import os
import queue
import resource
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from outlive.coroner.mask_verdict import hidden
from outlive.jobs.busy_page import Board
from outlive.jobs.parent_death import enter_group
from outlive.jobs.pipe_messages import Reader, send
from outlive.jobs.plain_exception import RESERVE, describe
from outlive.model.quick_dataclass import dataclass

MAIN = 0  #: the main thread's slot on the busy page

#: Names of exceptions that say that memory did not suffice.
EXHAUSTED = ("MemoryError", "ResourceExhaustedError")

#: Inputs that are prepared and waiting take at most this share of the budget, or this many bytes where no budget is known.
AHEAD_SHARE = 0.15
AHEAD_BYTES = 400_000_000

#: The parent is told no more often that something long is going on.
GOING_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Ready:
    """An input that is ready to be run."""

    thing: Any
    key: Any = None  #: only inputs with the same key can be run together
    weight: int = 0  #: bytes that a run with it needs, as far as one can know
    held: int = 0  #: bytes that it takes while it waits


class Task(Protocol):
    """What is done to every input."""

    most: int
    facts: Mapping[str, Any]
    room_bytes: int | None
    going: Callable[[], None]  #: set by the worker

    def prepare(self, item: Any) -> Ready:
        """Make an input ready; called from several threads."""

    def run(self, things: Sequence[Any]) -> Sequence[Any]:
        """One value for each."""


def work(order: Mapping[str, Any], handles: Sequence[int]) -> None:
    """Everything that a worker does, from its birth on."""
    orders, results, page, log = handles
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # a worker may die often: no core files
    os.dup2(log, 1)
    os.dup2(log, 2)
    faulthandler.enable(all_threads=True)
    faulthandler.register(signal.SIGUSR1, all_threads=True, chain=False)
    if order["group"]:
        enter_group(order["group"])
    board = Board(page)
    board.say(MAIN, "loading")
    reader = Reader(orders)
    messages = list(reader.read())
    while not messages and not reader.ended:
        messages = list(reader.read())
    if not messages:
        return
    name, arguments, threads = messages.pop(0)
    try:
        task = named(name)(**arguments)
    except BaseException as error:
        send(results, ("unable", describe(error)))
        return
    board.clear(MAIN)
    send(results, ("ready", hidden(dict(task.facts)), task.most))
    worker = Worker(task, board, results, threads, arguments.get("budget"))
    for message in messages:
        worker.inbox.put(message)
    threading.Thread(target=_hear, args=(reader, worker.inbox), daemon=True).start()
    worker.live()


def named(name: str) -> Callable[..., Any]:
    """A function by its module and name."""
    module, _, function = name.partition(":")
    found: Any = importlib.import_module(module)
    for part in function.split("."):
        found = getattr(found, part)
    return found  # type: ignore[no-any-return]  # whoever names it knows what it is


def _hear(reader: Reader, inbox: queue.SimpleQueue[Any]) -> None:
    while not reader.ended:
        for message in reader.read():
            inbox.put(message)
    os._exit(0)  # the parent is gone, or needs this worker no more


class Worker:
    """Inputs that wait, are being prepared, are ready."""

    def __init__(
        self, task: Task, board: Board, results: int, threads: int, budget: int | None
    ) -> None:
        self.inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._task = task
        self._board = board
        self._results = results
        self._threads = threads
        self._ahead = int(budget * AHEAD_SHARE) if budget else AHEAD_BYTES
        self._size = 1
        self._waiting: deque[tuple[int, Any]] = deque()
        self._preparing = 0
        self._held = 0
        self._ready: dict[Any, list[tuple[int, Ready]]] = {}
        self._todo: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
        self._told_going = 0.0
        task.going = self._going
        for slot in range(1, threads + 1):
            threading.Thread(target=self._prepare_all, args=(slot,), daemon=True).start()

    def live(self) -> None:
        """Until the parent closes the pipe."""
        while True:
            group = self._ripe()
            if group:
                self._run(group)
            else:
                self._take(self.inbox.get())
            while not self.inbox.empty():
                self._take(self.inbox.get())
            self._feed()

    def _going(self) -> None:
        """Only the main thread writes to the parent: others ask it to."""
        if time.monotonic() - self._told_going < GOING_SECONDS:
            return
        self._told_going = time.monotonic()
        if threading.current_thread() is threading.main_thread():
            send(self._results, ("going",))
        else:
            self.inbox.put(("going",))

    def _take(self, message: tuple[Any, ...]) -> None:
        if message[0] == "going":
            send(self._results, message)
            return
        if message[0] == "do":
            _, items, self._size, careful = message
            if not self._threads:
                self._do_in_turn(items)
            elif careful:
                self._do_carefully(items)
            else:
                self._waiting.extend(items)
            return
        if message[0] == "drop":
            dropped = [index for index, _ in self._waiting]
            self._waiting.clear()
            send(self._results, ("dropped", dropped))
            return
        _, index, ready, error = message
        self._preparing -= 1
        if error is not None:
            self._throw("preparing", [index], error)
        else:
            self._put(index, ready)

    def _put(self, index: int, ready: Ready) -> None:
        self._held += ready.held
        self._ready.setdefault(ready.key, []).append((index, ready))

    def _feed(self) -> None:
        """Have more prepared, as long as what waits fits."""
        window = max(2 * self._size, self._size + 2 * self._threads)
        while self._waiting:
            busy = self._preparing + self._count_ready()
            if busy and (busy >= window or self._held > self._ahead):
                return
            self._preparing += 1
            self._todo.put(self._waiting.popleft())

    def _count_ready(self) -> int:
        return sum(len(group) for group in self._ready.values())

    def _ripe(self) -> list[tuple[int, Ready]]:
        """A group to run now: a full one; or any, when no more will come before something is run."""
        for key, group in self._ready.items():
            chosen = self._fitting(group)
            if len(chosen) >= self._size or len(chosen) < len(group):
                return self._pick(key, len(chosen))
        more = self._preparing or not self.inbox.empty()
        if not self._ready or more:
            return []
        key = max(self._ready, key=lambda key: len(self._ready[key]))
        return self._pick(key, len(self._fitting(self._ready[key])))

    def _fitting(self, group: list[tuple[int, Ready]]) -> list[tuple[int, Ready]]:
        """The first of a group that can be run at once: by number, and by what they need."""
        chosen: list[tuple[int, Ready]] = []
        need = 0
        for entry in group[: self._size]:
            need += entry[1].weight
            if chosen and self._task.room_bytes is not None and need > self._task.room_bytes:
                break
            chosen.append(entry)
        return chosen

    def _pick(self, key: Any, count: int) -> list[tuple[int, Ready]]:
        group = self._ready[key]
        chosen, left = group[:count], group[count:]
        if left:
            self._ready[key] = left
        else:
            del self._ready[key]
        self._held -= sum(ready.held for _, ready in chosen)
        return chosen

    def _run(self, group: list[tuple[int, Ready]]) -> None:
        numbers = [index for index, _ in group]
        self._begin("running", numbers)
        began = time.perf_counter()
        try:
            values = self._task.run([ready.thing for _, ready in group])
        except BaseException as error:  # sys.exit in a task ends an input, not a job
            self._throw("running", numbers, describe(error))
        else:
            seconds = time.perf_counter() - began
            answers = list(zip(numbers, values, strict=True))
            send(self._results, ("values", answers, seconds, peak_bytes()))
        self._board.clear(MAIN)

    def _do_in_turn(self, items: Sequence[tuple[int, Any]]) -> None:
        """Each from its beginning to its end, told at once: if this process dies, all that it has done is known, and what it was at."""
        for index, item in items:
            self._begin("running", [index])
            try:
                values = self._task.run([self._task.prepare(item).thing])
            except BaseException as error:
                self._throw("running", [index], describe(error))
            else:
                send(self._results, ("values", [(index, *values)], 0.0, 0))
            self._board.clear(MAIN)

    def _do_carefully(self, items: Sequence[tuple[int, Any]]) -> None:
        """One after the other in this thread: if it dies of one, the board names that one and no other."""
        for index, item in items:
            self._begin("preparing", [index])
            try:
                self._put(index, self._task.prepare(item))
            except BaseException as error:
                self._throw("preparing", [index], describe(error))
            self._board.clear(MAIN)
        while self._ready:
            key = next(iter(self._ready))
            self._run(self._pick(key, len(self._fitting(self._ready[key]))))

    def _prepare_all(self, slot: int) -> None:
        while True:
            index, item = self._todo.get()
            self._board.say(slot, "preparing", [index])
            try:
                ready, error = self._task.prepare(item), None
            except BaseException as thrown:
                ready, error = None, describe(thrown)
            self._board.clear(slot)
            self.inbox.put(("prepared", index, ready, error))

    def _begin(self, stage: str, numbers: Sequence[int]) -> None:
        """Say what this thread is at, with room set aside to describe what comes of it."""
        RESERVE.take()
        self._board.say(MAIN, stage, numbers)

    def _throw(self, stage: str, numbers: Sequence[int], error: Mapping[str, Any]) -> None:
        kinds = {name.rpartition(".")[2] for name in (error["type"], *error["bases"])}
        memory = bool(kinds & set(EXHAUSTED))
        send(self._results, ("thrown", stage, list(numbers), dict(error), memory))


def peak_bytes() -> int:
    """The most memory that this process had since it was last asked."""
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as file:
            text = file.read()
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
    except OSError:
        return 0
    _, found, rest = text.partition("VmHWM:")
    return int(rest.split(None, 1)[0]) * 1024 if found else 0


def threads_for(cores: int) -> int:
    """Enough to decode as fast as the model eats, few enough that they do not take its cores."""
    return max(2, min(8, cores))
