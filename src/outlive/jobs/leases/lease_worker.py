"""One executor that is fed lease by lease: the body of a shard, and of an actor. It says when a lease is done, and its results are safe by then.

While the caller looks for the next lease the worker has one in hand already, so that it never waits. What dies is replaced and judged here, on the machine
where the evidence is.
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass as changing
from dataclasses import field, replace
from typing import Any

from outlive.errors import OutliveError
from outlive.jobs.endure import Answer, WorkerFailed, record_of, refused
from outlive.jobs.executor import CannotWork, Outcome, Progress, TaskName
from outlive.jobs.leases.cut import Lease
from outlive.jobs.leases.parts import Parts
from outlive.jobs.local_executor import DEADLINE, LocalExecutor
from outlive.jobs.schedule import NOT_YET
from outlive.jobs.worker_death import Death
from outlive.jobs.worker_verdict import verdict_on_worker
from outlive.jobs.zygote_client import ImportFailed
from outlive.model.quick_dataclass import dataclass

#: Leases that a worker has in hand: the one that it works on, and the next.
LEASES_IN_HAND = 2


@dataclass(frozen=True, slots=True)
class Terms:
    """How each worker works, wherever it is."""

    task: TaskName
    name_of: Callable[[Any], str]  #: a function at the top of a module: it is sent by its name
    path_of: Callable[[Any], str]
    most: int = 32
    chunk: int | None = None
    deadline: float = DEADLINE
    patience: float = 1.0
    budget: int | None = None
    least_bytes: int = 0
    workers: int = 1
    judged: bool = True  #: make the verdicts on deaths where they happen


@dataclass(frozen=True, slots=True)
class Done:
    """A lease that is done: what became of each of its inputs, by its place in the lease."""

    lease: str
    outcomes: tuple[tuple[int, Outcome], ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """Why the worker cannot go on, in a form that can be sent."""

    message: str
    help: str
    death: Death | None = None
    doing: str = ""
    final: bool = False  #: it would fail again

    def raised(self) -> OutliveError:
        """The error that it was."""
        if self.death is not None:
            return CannotWork(self.death, self.doing)
        kind = WorkerFailed if self.final else OutliveError
        return kind(self.message, self.help)


@dataclass(frozen=True, slots=True)
class Report:
    """What came of the last call: leases that are done, how far the others are, or why nothing goes on."""

    done: tuple[Done, ...]
    progress: Progress
    failure: Failure | None = None


@changing(slots=True)
class _Open:
    lease: Lease
    outcomes: dict[int, Outcome] = field(default_factory=dict)


class _Feed:
    """The inputs of all leases so far; more may come until it is closed."""

    def __init__(self) -> None:
        self._waiting: deque[Any] = deque()

    def add(self, items: Sequence[Any]) -> None:
        self._waiting.extend(items)

    def __iter__(self) -> Iterator[Any]:
        while True:
            yield self._waiting.popleft() if self._waiting else NOT_YET


class LeaseWorker:
    """The workers of one actor or shard, kept from lease to lease."""

    def __init__(self, terms: Terms, store: Parts | None) -> None:
        self._terms = terms
        self._store = store
        self._feed = _Feed()
        self._host = os.uname().nodename
        self._open: dict[str, _Open] = {}
        #: The lease and the place of each input: an outcome has the very object that was handed in.
        self._places: dict[int, tuple[str, int]] = {}
        self.executor = LocalExecutor(
            terms.task,
            self._feed,
            workers=terms.workers,
            most=terms.most,
            chunk=terms.chunk,
            deadline=terms.deadline,
            patience=terms.patience,
            budget=terms.budget,
            least_bytes=terms.least_bytes,
        )
        self._running: Iterator[Sequence[Outcome]] | None = None

    @property
    def in_hand(self) -> int:
        """How many leases it has that are not done."""
        return len(self._open)

    def work(self, leases: Sequence[Lease], seconds: float) -> Report:
        """Take these leases, too; return when one is done, or after this long."""
        for lease in leases:
            self._take(lease)
        until = time.monotonic() + seconds
        done: list[Done] = []
        try:
            while self._open and not done and time.monotonic() < until:
                outcomes = self._next()
                if outcomes is None:
                    break
                for one in outcomes:
                    done += self._note(one)
        except CannotWork as error:
            failure = Failure(error.message, error.help, error.death, error.doing)
            return Report(tuple(done), self.executor.progress, failure)
        except OutliveError as error:
            missing = isinstance(error, ImportFailed)
            failure = Failure(error.message, error.help, final=missing)
            return Report(tuple(done), self.executor.progress, failure)
        return Report(tuple(done), self.executor.progress)

    def stop(self) -> None:
        """Finish what is handed out, and no more; a second time: stop at once."""
        self.executor.stop()

    def close(self) -> None:
        """End the workers."""
        if self._running is not None:
            self._running.close()  # type: ignore[attr-defined]  # a generator
            self._running = None

    def _take(self, lease: Lease) -> None:
        self._open[lease.id] = _Open(lease)
        for place, item in enumerate(lease.items):
            self._places[id(item)] = (lease.id, place)
        self._feed.add(lease.items)

    def _next(self) -> Sequence[Outcome] | None:
        if self._running is None:
            self._running = self.executor.run()
        return next(self._running, None)

    def _note(self, outcome: Outcome) -> list[Done]:
        name, place = self._places.pop(id(outcome.item))
        mine = self._open[name]
        mine.outcomes[place] = self._judged(outcome)
        if len(mine.outcomes) < len(mine.lease.items):
            return []
        del self._open[name]
        if self._store is not None and mine.lease.kept:
            outcomes = [one for _, one in sorted(mine.outcomes.items())]
            self._store.commit(name, record_of_lease(self._terms.name_of, outcomes))
        return [
            Done(name, tuple((at, replace(one, item=None)) for at, one in mine.outcomes.items()))
        ]

    def _judged(self, outcome: Outcome) -> Outcome:
        death, terms = outcome.death, self._terms
        if death is None or not terms.judged:
            return outcome
        name, path = terms.name_of(outcome.item), terms.path_of(outcome.item)
        verdict = verdict_on_worker(death, name, path)
        return replace(outcome, verdict=verdict, host=self._host)


def record_of_lease(
    name_of: Callable[[Any], str], outcomes: Sequence[Outcome]
) -> Mapping[str, Any]:
    """What is written of a lease that is done."""
    answers = []
    for one in outcomes:
        name = name_of(one.item)
        if one.death is None or one.verdict is None:
            answers.append(Answer(name, one.value))
        else:
            answers.append(refused(one, one.death, name, one.verdict))
    host = next((one.host for one in outcomes if one.host), os.uname().nodename)
    return {**record_of(answers), "host": host, "at": round(time.time(), 1)}
