"""One seat for a worker: what it was handed, when it was last heard, and whose fault it was when it dies."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from outlive.inside.machine.host import GroupFolder, Host
from outlive.inside.machine.resident import anonymous_bytes
from outlive.jobs.batch_sizes import Sizes
from outlive.jobs.executor import CannotWork, Outcome, Progress, TaskName
from outlive.jobs.schedule import Fall, Inputs, Schedule
from outlive.jobs.worker import threads_for
from outlive.jobs.worker_death import Circle, Death
from outlive.jobs.zygote_client import Nursery, Worker, ZygoteGone
from outlive.recorder.sampler import process_stat
from outlive.recorder.worker_cgroup import Cell

#: A model may take its time at first.
SECONDS_TO_LOAD = 900.0

#: A run that takes this many times as long as the slowest so far hangs.
SLOWER = 20.0

#: A worker that uses this share of a processor computes, also on a machine that is busy with others; one that waits for a lock or a file uses next to nothing.
COMPUTING = 0.03

#: An input that takes longer is named to whoever waits.
LONG_SECONDS = 5.0

#: Workers that die without having answered anything, one after the other, before the job is given up.
VAIN_WORKERS = 8
VAIN_LOADS = 3

#: Inputs that workers died of, while none has ever been answered with a value: then it is not the inputs.
VAIN_INPUTS = 4

#: What a hanging worker is given to write down its stacks.
SECONDS_FOR_LAST_WORDS = 1.0


@dataclass(slots=True)
class Shared:
    """What all lanes of an executor have in common."""

    task: TaskName
    host: Host
    nursery: Nursery
    inputs: Inputs
    most: int
    deadline: float
    patience: float  #: a worker that computes is given so many times the deadline
    chunk: int | None
    lanes: int
    cell: Cell | None = None
    progress: Progress = field(default_factory=Progress)
    deadly: int = 0  #: inputs that were condemned for the death of a worker

    @property
    def lane_budget(self) -> int | None:
        """What one worker can count on."""
        budget = self.progress.budget_bytes
        return None if budget is None else budget // self.lanes


class Waited:
    """What a worker did while nothing was heard of it: half of its time is let pass, the other half is measured."""

    def __init__(self) -> None:
        self._stood = (
            0.0  #: when it was looked at last; it is less when the worker has been heard since
        )
        self._begin: tuple[float, float] | None = None  #: seconds since then, and of CPU

    def computes(self, stood: float, limit: float, cpu_seconds: Callable[[], float]) -> bool | None:
        """Whether it uses a processor; ``None`` until it has been measured, which begins at half of the limit."""
        if stood < self._stood:
            self._begin = None
        self._stood = stood
        if stood < limit / 2:
            return None
        if self._begin is None:
            self._begin = stood, cpu_seconds()
            return None
        began, before = self._begin
        return cpu_seconds() - before > COMPUTING * (stood - began) if stood > limit else None


class Lane:
    """A worker after the other, each with what its predecessor left."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared
        self.schedule = Schedule(shared.inputs, Sizes(1), shared.chunk)
        self.worker: Worker | None = None
        self.used_bytes = 0
        self._before: list[tuple[GroupFolder, bool, Any]] = []
        self._loaded = False
        self._dropping = False
        self._heard = 0.0
        self._waited = Waited()
        self._slowest = 0.0
        self._vain = 0
        self._warm = False  #: the first run of a worker is behind it

    @property
    def is_busy(self) -> bool:
        """Whether there is a worker, and something for it to do."""
        return self.worker is not None and not self.schedule.is_done

    def set_budget(self) -> None:
        """Let the number of inputs at once follow the memory that there is."""
        self.schedule.sizes = Sizes(1, self._shared.lane_budget)

    def feed(self) -> None:
        """Hand out what the worker can take; fork one where there is none."""
        worker = self.worker or self._begin()
        if self._loaded:
            while (order := self.schedule.next()) is not None:
                worker.send(("do", order.items, order.size, order.careful))
                if order.careful:
                    self._heard = time.monotonic()
        if self.schedule.stopping and not self._dropping:
            self._dropping = True
            worker.send(("drop",))

    def _begin(self) -> Worker:
        shared = self._shared
        self._before = self._circles()
        self.worker = shared.nursery.fork(shared.cell.path if shared.cell else None)
        arguments = {**shared.task.arguments, "budget": shared.lane_budget}
        cores = len(os.sched_getaffinity(0)) // shared.lanes
        threads = 0 if shared.chunk is not None else threads_for(cores)
        self.worker.send((shared.task.factory, arguments, threads))
        self._loaded = self._dropping = False
        self._heard = time.monotonic()
        return self.worker

    def turn(self, readable: Collection[int]) -> Iterator[Outcome]:
        """Hear the worker; bury it if it is dead or hangs."""
        worker = self.worker
        assert worker is not None
        if worker.reader.fileno() in readable:
            for message in worker.reader.read():
                self._heard = time.monotonic()
                yield from self._hear(worker, message)
        if worker.status is not None or worker.reader.ended:
            yield from self._bury(worker)
            return
        stood = time.monotonic() - self._heard
        limit = self._limit_seconds() if self._loaded else SECONDS_TO_LOAD
        self._name_what_takes_long(worker, stood)
        computes = self._waited.computes(stood, limit, self._cpu_seconds)
        if computes and self._loaded and self._shared.chunk is None:
            limit = max(limit, self._shared.deadline * self._shared.patience)
        if stood > limit and computes is not None and (self.schedule.waits or not self._loaded):
            if (
                self._shared.chunk is None
            ):  # a signal could wake what hangs, and it would count as done
                _ask_for_last_words(worker)
            yield from self._bury(worker, stood=stood, computed=bool(computes))

    def _name_what_takes_long(self, worker: Worker, stood: float) -> None:
        progress = self._shared.progress
        progress.in_hand, progress.in_hand_seconds = (), 0.0
        if stood < LONG_SECONDS or not (self._loaded and self.schedule.waits):
            return
        indices = [index for _, some in worker.board.read() for index in some]
        items = [self.schedule.item(index) for index in indices]
        progress.in_hand = tuple(item for item in items if item is not None)
        progress.in_hand_seconds = stood

    def _cpu_seconds(self) -> float:
        stat = process_stat(self._shared.host, self.worker.pid) if self.worker else None
        return stat.cpu_seconds if stat is not None else 0.0

    def look_at_memory(self) -> None:
        """See how much memory the worker has."""
        self.used_bytes = anonymous_bytes(self.worker.pid) if self.worker else 0

    def end_for_memory(self) -> Iterator[Outcome]:
        """End the worker: it has more than there is."""
        assert self.worker is not None
        yield from self._bury(self.worker, over=self.used_bytes)

    def excuse(self, seconds: float) -> None:
        """Do not count the time that the caller took."""
        self._heard += seconds
        if self._loaded and not self.schedule.waits:
            self._heard = time.monotonic()

    def last_answers(self) -> list[Outcome]:
        """End the worker, and take what it had answered and nobody has heard."""
        outcomes: list[Outcome] = []
        if self.worker is not None:
            self.worker.kill()
            with contextlib.suppress(CannotWork):
                for message in self.worker.reader.rest():
                    outcomes += self._hear(self.worker, message)
        return outcomes

    def lose_worker(self) -> list[Outcome]:
        """Take back what was handed out: the zygote was killed and its workers went with it, which is nobody's fault."""
        outcomes: list[Outcome] = []
        if self.worker is not None:
            for message in self.worker.reader.rest():
                outcomes += self._hear(self.worker, message)
            self.schedule.fell(Fall.OUTSIDE, ())
        self.worker = None
        self._count_vain(Death(0), VAIN_WORKERS, "be started")
        return outcomes

    def _limit_seconds(self) -> float:
        if self._shared.chunk is not None:
            return self._shared.deadline
        return max(self._shared.deadline, SLOWER * self._slowest)

    def _hear(self, worker: Worker, message: tuple[Any, ...]) -> Iterator[Outcome]:
        """Take in one message of the worker."""
        kind = message[0]
        progress = self._shared.progress
        if kind == "ready":
            _, progress.facts, most = message
            self._warm = False
            self._loaded = True
            self.schedule.sizes.most = max(1, min(self._shared.most, most))
        elif kind == "unable":
            raise CannotWork(Death(worker.pid, thrown=message[1]), "be made ready")
        elif kind == "dropped":
            self.schedule.dropped(message[1])
        elif kind == "values":
            yield from self._take_values(message)
            worker.trim_log()
        elif kind == "thrown":
            yield from self._take_exception(worker, message)
        # "going": that it was heard is all

    def _take_values(self, message: tuple[Any, ...]) -> Iterator[Outcome]:
        _, answers, seconds, peak = message
        progress = self._shared.progress
        self._vain = 0
        self._slowest = max(seconds, self._slowest)
        self.schedule.sizes.went_well(len(answers), seconds, peak)
        progress.size = self.schedule.sizes.size
        if self._warm:
            progress.busy_seconds += seconds
            progress.busy_inputs += len(answers)
        self._warm = True
        progress.peak_bytes = max(peak, progress.peak_bytes)
        for index, value in answers:
            item = self.schedule.answered(index)
            if item is not None:
                progress.done += 1
                yield Outcome(item, value)

    def _take_exception(self, worker: Worker, message: tuple[Any, ...]) -> Iterator[Outcome]:
        _, stage, indices, error, memory = message
        self._vain = 0
        death = Death(
            worker.pid,
            busy=((stage, tuple(indices)),),
            budget_bytes=self._shared.progress.budget_bytes,
            thrown=error,
        )
        guilty = indices[0] if stage == "preparing" and not memory else None
        if guilty is None:
            guilty = self.schedule.refused(indices, memory)
        if guilty is not None:
            yield from self._condemn(guilty, death)

    def _condemn(self, index: int, death: Death) -> Iterator[Outcome]:
        item = self.schedule.answered(index)
        if item is not None:
            yield Outcome(item, death=death)

    def _bury(
        self,
        worker: Worker,
        over: int | None = None,
        stood: float | None = None,
        computed: bool = False,
    ) -> Iterator[Outcome]:
        """The worker is dead, or as good as: take what it left, find out whose fault it was."""
        shared = self._shared
        worker.kill()
        try:
            shared.nursery.bury(worker)
        except ZygoteGone:
            if over is None and stood is None:
                raise
        for message in worker.reader.rest():
            yield from self._hear(worker, message)
        death = Death(
            worker.pid,
            worker.status,
            tuple(worker.board.read()),
            worker.log(),
            tuple(
                Circle(folder.path, folder.version, own, reading, shared.host.read_group(folder))
                for folder, own, reading in self._before
            ),
            shared.progress.budget_bytes,
            max(worker.peak_bytes, shared.progress.peak_bytes),
            stood,
            computed,
            over,
        )
        shared.nursery.dismiss(worker)
        self.worker = None
        # Somebody who kills workers says nothing about the model.
        innocent = self._loaded or death.fall is Fall.OUTSIDE
        doing = "do anything" if self._loaded else "load the model"
        self._count_vain(death, VAIN_WORKERS if innocent else VAIN_LOADS, doing)
        guilty = self.schedule.fell(death.fall, death.busy) if self._loaded else None
        if guilty is not None:
            self._count_deadly(death)
            self._vain = 0
            yield from self._condemn(guilty, death)

    def _count_vain(self, death: Death, most: int, doing: str) -> None:
        self._shared.progress.deaths += 1
        self._vain += 1
        if self._vain >= most:
            raise CannotWork(death, doing)

    def _count_deadly(self, death: Death) -> None:
        """Doubt the task when all inputs so far were deadly; not one of ours, that is done in turn: then it is the inputs."""
        shared = self._shared
        shared.deadly += 1
        if shared.chunk is None and not shared.progress.done and shared.deadly >= VAIN_INPUTS:
            raise CannotWork(death, f"do anything with {VAIN_INPUTS} inputs, one after the other")

    def _circles(self) -> list[tuple[GroupFolder, bool, Any]]:
        """The cgroups that the next worker will be in, nearest first, with their counters now."""
        cell, host = self._shared.cell, self._shared.host
        own = [(GroupFolder(cell.path, cell.version), True)] if cell is not None else []
        above = [(folder, False) for folder in host.memory_groups()]
        return [(folder, mine, host.read_group(folder)) for folder, mine in (*own, *above)]


def _ask_for_last_words(worker: Worker) -> None:
    """Where does it stand? Its stacks go to its log, then it is ended."""
    worker.kill(signal.SIGUSR1)
    until = time.monotonic() + SECONDS_FOR_LAST_WORDS
    while "most recent call first" not in worker.log() and time.monotonic() < until:
        time.sleep(0.02)
    worker.kill()
