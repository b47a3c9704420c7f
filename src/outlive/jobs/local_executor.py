"""The executor on this machine: one zygote, and as many workers as were asked for.

The parent never loads what may kill: it hands out names, reads results, watches memory and time, and when a worker dies it finds out whose fault it was and has
another one forked. One loop serves all workers, each in a lane of its own. A worker with a model uses all cores by itself, so one is the usual number.
"""

from __future__ import annotations

import select
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from outlive.inside.machine.host import Host
from outlive.inside.machine.memory_limit import effective_limit
from outlive.jobs.executor import NoRoom, Outcome, Progress, TaskName
from outlive.jobs.lane import Lane, Shared
from outlive.jobs.schedule import Inputs
from outlive.jobs.zygote_client import Interrupted, Nursery, ZygoteGone
from outlive.recorder.worker_cgroup import make_cell

#: Left to the parent, the zygote and everybody else.
RESERVE_SHARE = 0.06
RESERVE_BYTES = 48_000_000
LARGEST_RESERVE_BYTES = 1_000_000_000

#: The parent looks at memory and time this often; where it is the only guard of memory, much more often.
CALM_SECONDS = 0.25
WATCHFUL_SECONDS = 0.02

#: A worker that nothing is heard of for so many seconds hangs; one that computes all the while is given so many times as long,
#: unless somebody has said how long it may take.
DEADLINE, PATIENCE = 60.0, 5.0

#: A worker of chunks tells of each input; to wake for each would take an eighth of the time that the workers have. It has more than this long to do in hand.
GATHERED_SECONDS = 0.005


def usual_budget(host: Host) -> int | None:
    """What the workers may have now: the room below the effective limit, less a reserve."""
    limit = effective_limit(host)
    resident = [bound for bound in limit.bounds if bound.resident]
    if not resident:
        return None
    left = min(bound.bytes - (bound.used_bytes or 0) for bound in resident)
    reserve = max(RESERVE_BYTES, int(resident[0].bytes * RESERVE_SHARE))
    return max(0, left - min(reserve, LARGEST_RESERVE_BYTES))


class LocalExecutor:
    """An `Executor` with processes of this machine.

    A worker that is not heard of for ``deadline`` seconds hangs; one that computes all the while is given ``patience`` times as long.

    With ``chunk`` a worker is handed so many inputs at a time and does them one after the other, without threads that prepare: for a task of our own that has no
    model. Then the input in hand is to blame for a hang at once, and no number of deadly inputs makes us doubt the task.
    """

    def __init__(
        self,
        task: TaskName,
        inputs: Iterable[Any],
        *,
        workers: int = 1,
        most: int = 32,
        chunk: int | None = None,
        deadline: float = DEADLINE,
        patience: float = 1.0,
        budget: int | None = None,
        host: Host | None = None,
        least_bytes: int = 0,
    ) -> None:
        self._asked_budget = budget
        self._least_bytes = least_bytes
        self._nursery = Nursery(task.imports, task.variables, self._may_leave)
        self._shared = Shared(
            task,
            host or Host(),
            self._nursery,
            Inputs(inputs),
            most,
            deadline,
            patience,
            chunk,
            workers,
        )
        self._lanes = [Lane(self._shared) for _ in range(workers)]
        self._hurried = False
        self._has_budget = False
        self._looked = 0.0
        self._outcomes: list[Outcome] = []
        self.is_over = False  #: it has run, and hands out nothing any more
        self.unheard: list[Outcome] = []  #: answered by workers when the run was broken off

    @property
    def progress(self) -> Progress:
        """How far it is."""
        return self._shared.progress

    @property
    def worker_pids(self) -> list[int]:
        """The numbers of the workers that there are now."""
        return [lane.worker.pid for lane in self._lanes if lane.worker is not None]

    @property
    def worker_pid(self) -> int | None:
        """The first worker's number, while there is one."""
        return next(iter(self.worker_pids), None)

    @property
    def zygote_pid(self) -> int | None:
        """The zygote's number, while there is one."""
        return self._nursery.zygote_pid

    def stop(self) -> None:
        """Finish what is handed out, and no more; a second time: stop at once."""
        self._hurried = any(lane.schedule.stopping for lane in self._lanes)
        for lane in self._lanes:
            lane.schedule.stopping = True

    def stop_at_once(self) -> None:
        """Wait for nothing that is handed out; what was answered is in ``unheard``."""
        self.stop()
        self.stop()

    def _may_leave(self) -> bool:
        stopping = all(lane.schedule.stopping for lane in self._lanes)
        waits = any(lane.schedule.waits for lane in self._lanes)
        return self._hurried or (stopping and not waits)

    @property
    def _is_done(self) -> bool:
        return self._hurried or all(lane.schedule.is_done for lane in self._lanes)

    def run(self) -> Iterator[Sequence[Outcome]]:
        """Outcomes as they come, in any order; sometimes none, so that the caller can look around."""
        if self._shared.inputs.is_empty:
            return
        self._nursery.start()
        try:
            while not self._is_done:
                try:
                    yield from self._rounds()
                except ZygoteGone:
                    yield self._after_the_zygote()
        except Interrupted:
            return
        finally:
            self._end()

    def _rounds(self) -> Iterator[Sequence[Outcome]]:
        self._nursery.wait_until_ready()
        self._set_budget()
        while not self._is_done:
            for lane in self._lanes:
                if not lane.schedule.is_done:
                    lane.feed()
            self._listen()
            if self._hurried:
                return
            outcomes, self._outcomes = self._outcomes, []
            paused = time.monotonic()
            yield outcomes
            for lane in self._lanes:
                lane.excuse(time.monotonic() - paused)  # the caller's time is not the worker's

    def _listen(self) -> None:
        """Wait for a message or a death, but not for ever; then let every lane have its turn."""
        busy = [lane for lane in self._lanes if lane.is_busy]
        handles = [lane.worker.reader.fileno() for lane in busy if lane.worker is not None]
        waited = [*handles, self._nursery.fileno()]
        readable, _, _ = select.select(waited, [], [], self._pause())
        if self._shared.chunk is not None and readable:
            time.sleep(GATHERED_SECONDS)
        if self._nursery.fileno() in readable:
            self._nursery.hear()
        for lane in busy:
            self._outcomes += lane.turn(readable)
        self._watch_memory(busy)

    def _pause(self) -> float:
        watchful = self._shared.cell is None and self.progress.budget_bytes is not None
        return WATCHFUL_SECONDS if watchful else CALM_SECONDS

    def _watch_memory(self, busy: Sequence[Lane]) -> None:
        """End the largest worker when all of them have too much and no cgroup bounds them."""
        if time.monotonic() - self._looked < WATCHFUL_SECONDS:
            return
        self._looked = time.monotonic()
        cell, progress = self._shared.cell, self.progress
        if cell is not None:
            used = cell.used_bytes() or 0
        else:
            for lane in self._lanes:
                lane.look_at_memory()
            used = sum(lane.used_bytes for lane in self._lanes)
        progress.used_bytes = used
        progress.peak_bytes = max(used, progress.peak_bytes)
        if cell is None and progress.budget_bytes is not None and used > progress.budget_bytes:
            largest = max(self._lanes, key=lambda lane: lane.used_bytes)
            if largest in busy and largest.worker is not None:
                self._outcomes += largest.end_for_memory()

    def _set_budget(self) -> None:
        """Once: when the zygote is there, so that its memory is counted already."""
        if self._has_budget:
            return
        self._has_budget = True
        room = usual_budget(self._shared.host)
        asked = self._asked_budget
        budget = asked if room is None else min(asked or room, room)
        if budget is not None and budget < self._least_bytes:
            raise NoRoom(
                f"Only {budget // 1_000_000} MB are left for the worker, and it needs at least {self._least_bytes // 1_000_000} MB.",
                "Raise the limit, or use the light runtime:  --runtime litert",
            )
        self.progress.budget_bytes = budget
        if budget is not None:
            self._shared.cell = make_cell(self._shared.host, budget)
        self.progress.isolated = self._shared.cell is not None
        for lane in self._lanes:
            lane.set_budget()

    def _after_the_zygote(self) -> Sequence[Outcome]:
        """Start again: somebody killed the zygote."""
        outcomes, self._outcomes = self._outcomes, []
        for lane in self._lanes:
            outcomes += lane.lose_worker()
        self._nursery.close()
        self._nursery.start()
        return outcomes

    def _end(self) -> None:
        self.is_over = True
        self.unheard = self._outcomes
        for lane in self._lanes:
            self.unheard += lane.last_answers()
            lane.worker = None
        self._nursery.close()
        if self._shared.cell is not None:
            self._shared.cell.remove()
