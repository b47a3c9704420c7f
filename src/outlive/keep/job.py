"""A job: inputs in, outcomes out, whatever its worker dies of.

The parent never loads what may kill: it hands out names, reads results, watches memory and time, and when the worker dies it finds out
whose fault it was and has another one forked. One worker at a time; it uses all cores by itself.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from outlive.errors import OutliveError
from outlive.host import GroupFolder, Host
from outlive.keep.batch_sizes import Sizes
from outlive.keep.cell import Cell, make_cell
from outlive.keep.death import Circle, Death
from outlive.keep.inside.resident import anonymous_bytes
from outlive.keep.nursery import Interrupted, Nursery, Worker, ZygoteGone
from outlive.keep.schedule import Fall, Schedule
from outlive.keep.work import threads_for
from outlive.memory_limit import effective_limit

#: Left to the parent, the zygote and everybody else.
RESERVE_SHARE = 0.06
RESERVE_BYTES = 48_000_000
LARGEST_RESERVE_BYTES = 1_000_000_000

#: The parent looks at memory and time this often; where it is the only guard of memory, much more often.
CALM_SECONDS = 0.25
WATCHFUL_SECONDS = 0.02

#: A model may take its time at first.
SECONDS_TO_LOAD = 900.0

#: A run that takes this many times as long as the slowest so far hangs.
SLOWER = 20.0

#: Workers that die without having answered anything, one after the other, before the job is given up.
VAIN_WORKERS = 8
VAIN_LOADS = 3

#: Inputs that workers died of, while none has ever been answered with a value: then it is not the inputs.
VAIN_INPUTS = 4

#: What a hanging worker is given to write down its stacks.
SECONDS_FOR_LAST_WORDS = 1.0


@dataclass(frozen=True, slots=True)
class TaskName:
    """What the worker is to do: the function that makes its task, and what to import before it is forked."""

    factory: str  #: ``module:function``
    arguments: Mapping[str, Any] = field(default_factory=dict)
    imports: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)  #: of the environment


@dataclass(frozen=True, slots=True)
class Outcome:
    """One input, answered: a value, or the death that it is condemned for."""

    item: Any
    value: Any = None
    death: Death | None = None


class CannotWork(OutliveError):
    """The task itself fails, with any input."""

    def __init__(self, death: Death, doing: str) -> None:
        words = death.thrown.get("message", "").strip() if death.thrown else ""
        kind = death.thrown["type"].rpartition(".")[2] if death.thrown else _ending(death)
        refused = bool(death.thrown and death.thrown.get("slug"))  # in words for a person, by us
        told = words if refused else f"{kind}{': ' if words else ''}{words}"
        super().__init__(f"The worker could not {doing}: {told}")
        self.death = death


class NoRoom(OutliveError):
    """There is less memory than any worker needs."""


@dataclass(slots=True)
class Progress:
    """What a person wants to see while it goes on."""

    done: int = 0
    condemned: int = 0
    deaths: int = 0
    size: int = 1
    used_bytes: int = 0
    peak_bytes: int = 0
    busy_seconds: float = 0.0  #: in runs of the model, the first of each worker left out
    busy_inputs: int = 0
    budget_bytes: int | None = None
    isolated: bool = False  #: the worker has a control group of its own
    facts: Mapping[str, Any] = field(default_factory=dict)


def usual_budget(host: Host) -> int | None:
    """What the worker may have now: the room below the effective limit, less a reserve."""
    limit = effective_limit(host)
    resident = [bound for bound in limit.bounds if bound.resident]
    if not resident:
        return None
    left = min(bound.bytes - (bound.used_bytes or 0) for bound in resident)
    reserve = max(RESERVE_BYTES, int(resident[0].bytes * RESERVE_SHARE))
    return max(0, left - min(reserve, LARGEST_RESERVE_BYTES))


class Job:
    """The loop."""

    def __init__(
        self,
        task: TaskName,
        inputs: Iterable[Any],
        *,
        most: int = 32,
        deadline: float = 60.0,
        budget: int | None = None,
        host: Host | None = None,
        least_bytes: int = 0,
    ) -> None:
        self._task = task
        self._host = host or Host()
        self._most = most
        self._deadline = deadline
        self._asked_budget = budget
        self._least_bytes = least_bytes
        self._nursery = Nursery(task.imports, task.variables, self._may_leave)
        self._cell: Cell | None = None
        self._schedule = Schedule(enumerate(inputs), Sizes(1))
        self._hurried = False
        self._slowest = 0.0
        self._vain = 0
        self._deadly = 0  #: inputs that were condemned for the death of a worker
        self._is_new = True
        self._warm = False  #: the first run of a worker is behind it
        self.progress = Progress()

    @property
    def worker_pid(self) -> int | None:
        """The worker's number, while there is one."""
        return self._nursery.worker.pid if self._nursery.worker else None

    @property
    def zygote_pid(self) -> int | None:
        """The zygote's number, while there is one."""
        return self._nursery.zygote_pid

    def stop(self) -> None:
        """Finish what is handed out, and no more; a second time: stop at once."""
        self._hurried = self._schedule.stopping
        self._schedule.stopping = True

    def _may_leave(self) -> bool:
        return self._hurried or (self._schedule.stopping and not self._schedule.waits)

    def run(self) -> Iterator[Sequence[Outcome]]:
        """Outcomes as they come, in any order; sometimes none, so that the caller can look around."""
        if self._schedule.is_empty:
            return
        self._nursery.start()
        try:
            while not self._schedule.is_done and not self._hurried:
                try:
                    yield from self._one_worker()
                except ZygoteGone:
                    yield from self._after_the_zygote()
        except Interrupted:
            return
        finally:
            self._nursery.close()
            if self._cell is not None:
                self._cell.remove()

    def _one_worker(self) -> Iterator[Sequence[Outcome]]:
        """From the birth of a worker to its death, or to the end of the job."""
        self._nursery.wait_until_ready()
        self._set_budget()
        before = self._circles()
        worker = self._nursery.fork(self._cell.path if self._cell else None)
        arguments = {**self._task.arguments, "budget": self.progress.budget_bytes}
        threads = threads_for(len(os.sched_getaffinity(0)))
        worker.send((self._task.factory, arguments, threads))
        loaded = dropping = False
        heard = time.monotonic()
        while not self._schedule.is_done:
            outcomes: list[Outcome] = []
            if loaded:
                while (order := self._schedule.next()) is not None:
                    worker.send(("do", order.items, order.size, order.careful))
                    heard = time.monotonic() if order.careful else heard
            if self._schedule.stopping and not dropping:
                dropping = True
                worker.send(("drop",))
            handles = [worker.reader.fileno(), self._nursery.fileno()]
            readable, _, _ = select.select(handles, [], [], self._pause(worker))
            if handles[0] in readable:
                for message in worker.reader.read():
                    heard = time.monotonic()
                    loaded = self._hear(worker, message, outcomes) or loaded
            elif handles[1] in readable:
                self._nursery.hear()
            if worker.status is not None or worker.reader.ended:
                yield outcomes + list(self._bury(worker, before, loaded))
                return
            if self._hurried:
                return
            limit = self._limit_seconds() if loaded else SECONDS_TO_LOAD
            stood = time.monotonic() - heard
            over = self._over_budget(worker)
            if over is not None:
                worker.kill()
                yield outcomes + list(self._bury(worker, before, loaded, over=over))
                return
            if stood > limit and (self._schedule.waits or not loaded):
                self._ask_for_last_words(worker)
                yield outcomes + list(self._bury(worker, before, loaded, stood=stood))
                return
            paused = time.monotonic()
            yield outcomes
            heard += time.monotonic() - paused  # the caller's time is not the worker's
            if loaded and not self._schedule.waits:
                heard = time.monotonic()

    def _set_budget(self) -> None:
        """Once: when the zygote is there, so that its memory is counted already."""
        if not self._is_new:
            return
        self._is_new = False
        room = usual_budget(self._host)
        asked = self._asked_budget
        budget = asked if room is None else min(asked or room, room)
        if budget is not None and budget < self._least_bytes:
            raise NoRoom(
                f"Only {budget // 1_000_000} MB are left for the worker, and it needs at least {self._least_bytes // 1_000_000} MB.",
                "Raise the limit, or use the light runtime:  --runtime litert",
            )
        self.progress.budget_bytes = budget
        if budget is not None:
            self._cell = make_cell(self._host, budget)
        self.progress.isolated = self._cell is not None
        self._schedule.sizes = Sizes(1, budget)

    def _pause(self, worker: Worker) -> float:
        watchful = self._cell is None and self.progress.budget_bytes is not None
        return WATCHFUL_SECONDS if watchful else CALM_SECONDS

    def _limit_seconds(self) -> float:
        return max(self._deadline, SLOWER * self._slowest)

    def _over_budget(self, worker: Worker) -> int | None:
        """How much memory the worker has, when that is too much and no control group bounds it."""
        if self._cell is not None:
            used = self._cell.used_bytes() or 0
        else:
            used = anonymous_bytes(worker.pid)
        self.progress.used_bytes = used
        self.progress.peak_bytes = max(used, self.progress.peak_bytes)
        budget = self.progress.budget_bytes
        return used if self._cell is None and budget is not None and used > budget else None

    def _hear(self, worker: Worker, message: tuple[Any, ...], outcomes: list[Outcome]) -> bool:
        """One message of the worker; whether it is ready now."""
        kind = message[0]
        if kind == "ready":
            _, self.progress.facts, most = message
            self._warm = False
            self._schedule.sizes.most = max(1, min(self._most, most))
            return True
        if kind == "unable":
            raise CannotWork(Death(worker.pid, thrown=message[1]), "be made ready")
        if kind == "dropped":
            self._schedule.dropped(message[1])
            return False
        if kind == "going":
            return False  # that it was heard is all
        self._vain = 0
        if kind == "values":
            _, answers, seconds, peak = message
            self._slowest = max(seconds, self._slowest)
            self._schedule.sizes.went_well(len(answers), seconds, peak)
            self.progress.size = self._schedule.sizes.size
            if self._warm:
                self.progress.busy_seconds += seconds
                self.progress.busy_inputs += len(answers)
            self._warm = True
            self.progress.peak_bytes = max(peak, self.progress.peak_bytes)
            for index, value in answers:
                item = self._schedule.answered(index)
                if item is not None:
                    self.progress.done += 1
                    outcomes.append(Outcome(item, value))
            worker.trim_log()
            return False
        _, stage, indices, error, memory = message
        death = Death(
            worker.pid,
            busy=((stage, tuple(indices)),),
            budget_bytes=self.progress.budget_bytes,
            thrown=error,
        )
        guilty = indices[0] if stage == "preparing" and not memory else None
        if guilty is None:
            guilty = self._schedule.refused(indices, memory)
        if guilty is not None:
            outcomes.extend(self._condemn(guilty, death))
        return False

    def _condemn(self, index: int, death: Death) -> Iterator[Outcome]:
        item = self._schedule.answered(index)
        if item is not None:
            self.progress.condemned += 1
            yield Outcome(item, death=death)

    def _bury(
        self,
        worker: Worker,
        before: Sequence[tuple[GroupFolder, bool, Any]],
        loaded: bool,
        over: int | None = None,
        stood: float | None = None,
    ) -> Iterator[Outcome]:
        """The worker is dead, or as good as: take what it left, find out whose fault it was."""
        worker.kill()
        try:
            self._nursery.bury()
        except ZygoteGone:
            if over is None and stood is None:
                raise
        outcomes: list[Outcome] = []
        for message in worker.reader.rest():
            loaded = self._hear(worker, message, outcomes) or loaded
        yield from outcomes
        death = Death(
            worker.pid,
            worker.status,
            tuple(worker.board.read()),
            worker.log(),
            tuple(
                Circle(folder.path, folder.version, own, reading, self._host.read_group(folder))
                for folder, own, reading in before
            ),
            self.progress.budget_bytes,
            max(worker.peak_bytes, self.progress.peak_bytes),
            stood,
            over,
        )
        worker.close()
        self._nursery.worker = None
        self.progress.deaths += 1
        self._vain += 1
        # Somebody who kills workers says nothing about the model.
        innocent = loaded or death.fall is Fall.OUTSIDE
        if self._vain >= (VAIN_WORKERS if innocent else VAIN_LOADS):
            raise CannotWork(death, "do anything" if loaded else "load the model")
        if not loaded:
            return
        guilty = self._schedule.fell(death.fall, death.busy)
        if guilty is not None and not self.progress.done and self._deadly >= VAIN_INPUTS - 1:
            raise CannotWork(death, f"do anything with {VAIN_INPUTS} inputs, one after the other")
        if guilty is not None:
            self._deadly += 1
            self._vain = 0
            yield from self._condemn(guilty, death)

    def _after_the_zygote(self) -> Iterator[Sequence[Outcome]]:
        """Somebody killed the zygote, and its worker went with it: nobody's fault."""
        worker = self._nursery.worker
        if worker is not None:
            outcomes: list[Outcome] = []
            for message in worker.reader.rest():
                self._hear(worker, message, outcomes)
            yield outcomes
            self._schedule.fell(Fall.OUTSIDE, ())
        self.progress.deaths += 1
        self._vain += 1
        if self._vain >= VAIN_WORKERS:
            raise CannotWork(Death(0), "be started")
        self._nursery.close()
        self._nursery.start()

    def _ask_for_last_words(self, worker: Worker) -> None:
        """Where does it stand? Its stacks go to its log, then it is ended."""
        worker.kill(signal.SIGUSR1)
        until = time.monotonic() + SECONDS_FOR_LAST_WORDS
        while "most recent call first" not in worker.log() and time.monotonic() < until:
            time.sleep(0.02)
        worker.kill()

    def _circles(self) -> list[tuple[GroupFolder, bool, Any]]:
        """The control groups that the next worker will be in, nearest first, with their counters now."""
        own = (
            [(GroupFolder(self._cell.path, self._cell.version), True)]
            if self._cell is not None
            else []
        )
        above = [(folder, False) for folder in self._host.memory_groups()]
        return [(folder, mine, self._host.read_group(folder)) for folder, mine in (*own, *above)]


def _ending(death: Death) -> str:
    if death.signal is not None:
        return f"it was ended by {signal.Signals(death.signal).name}"
    if death.stood_seconds is not None:
        return f"it stood still for {death.stood_seconds:.0f} s"
    if death.exit_code is not None:
        return f"it ended with status {death.exit_code}"
    return "it was gone"
