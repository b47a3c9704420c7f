"""The executor on a cluster of Ray: leases go out to actors, outcomes come back, and whatever is lost on the way is handed out again.

Ray starts nothing again and tries nothing again by itself: what a call was doing when its actor died, it cannot know. We know the leases that were out. An actor has
no more in hand than two, one call at a time, in its main thread.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from outlive.errors import OutliveError
from outlive.jobs.executor import Outcome, Progress
from outlive.jobs.leases.cut import Lease
from outlive.jobs.leases.lease_worker import LEASES_IN_HAND, Failure, Report, Terms, record_of_lease
from outlive.jobs.leases.losses import LOSSES, Losses, item_of
from outlive.jobs.leases.parts import Parts
from outlive.jobs.ray.cluster import SILENT_SECONDS, Cluster
from outlive.jobs.ray.outcomes import kept_outcomes, lost_outcome
from outlive.jobs.ray.parcel import packed
from outlive.jobs.ray.seat import Hello, Order, Seat, versions

#: Whoever watches is let look around this often; the nodes are counted as often as the cluster is asked for them.
SECONDS_TO_WAIT = 0.25
SECONDS_TO_COUNT = 2.0

#: An actor says how far it is after so long, if no lease is done before; with very many actors less often.
SECONDS_TO_REPORT = 5.0
REPORTS_A_SECOND = 50.0

#: A head that has been silent for so long will not come back to this driver.
SECONDS_WITHOUT_HEAD = 120.0

#: Actors that are lost one after the other, while nothing is done at all, before the job is given up: so many for each place.
VAIN_LOSSES = 8

SECONDS_TO_CLOSE = 10.0


@dataclass(slots=True)
class _Actor:
    """An actor as the driver sees it."""

    handle: Any
    call: Any  #: the one that is out; at first its greeting
    hello: Hello | None = None
    leases: dict[str, Lease] = field(default_factory=dict)
    progress: Progress = field(default_factory=Progress)


class RayExecutor:
    """An `Executor` whose workers are in actors. ``parcels`` are files that the task needs, by the name of its argument."""

    def __init__(
        self,
        terms: Terms,
        leases: Iterator[Lease],
        address: str | None,
        *,
        store: Parts | None = None,
        parcels: Mapping[str, str] | None = None,
        cpus: int = 1,
        say: Callable[[str], None] = lambda words: None,
    ) -> None:
        self._cluster = Cluster(address)
        self._ray: Any = self._cluster.ray
        self._leases = leases
        self._store = store
        self._cpus = cpus
        self._say = say
        self._again: deque[Lease] = deque()
        self._losses = Losses()
        self._actors: list[_Actor] = []
        self._drained = False
        self._stopping = 0
        self._vain = 0
        self._warned = False
        self._counted = -SECONDS_TO_COUNT
        self._ended = Progress()  #: of actors that are gone
        self.progress = Progress()
        self.finished = False  #: every lease is done
        self.unheard: list[Outcome] = []  #: what an actor has not told is not answered
        sent = {name: packed(path) for name, path in (parcels or {}).items()}
        held = {name: (parcel, self._ray.put(data)) for name, (parcel, data) in sent.items()}
        self._order = Order(terms, store.address if store is not None else None, held)
        self._class = self._ray.remote(Seat)

    def stop(self) -> None:
        """Finish what is handed out, and no more; a second time: stop at once."""
        self._stopping += 1

    def stop_at_once(self) -> None:
        """Wait for nothing that is handed out."""
        self._stopping = 2

    def run(self) -> Iterator[Sequence[Outcome]]:
        """The outcomes of each lease when it is safe."""
        try:
            first = self._next()
            if first is not None:  # else no actor is needed
                self._again.append(first)
            while True:
                if self._is_over():
                    return
                self._fill_seats()
                for actor in self._actors:
                    self._call(actor)
                yield self._hear()
        finally:
            self._close()

    def _is_over(self) -> bool:
        out = any(actor.leases for actor in self._actors)
        if self._stopping > 1 or (self._stopping and not out):
            return True
        self.finished = self._drained and not self._again and not out
        return self.finished

    def _fill_seats(self) -> None:
        """An actor for every place in the cluster; of those that were lost, too."""
        if time.monotonic() - self._counted < SECONDS_TO_COUNT:
            return
        self._counted = time.monotonic()
        self._watch_the_head()
        wanted = max(1, self._cluster.room_for(self._cpus))
        if self._stopping or (self._drained and not self._again):
            return
        while len(self._actors) < wanted and self._cluster.silent_seconds < SILENT_SECONDS:
            options = {"num_cpus": self._cpus, "max_restarts": 0, "max_task_retries": 0}
            if self._order.terms.budget:
                options["memory"] = self._order.terms.budget
            handle = self._class.options(**options).remote(self._order)
            self._actors.append(_Actor(handle, handle.hello.remote()))

    def _watch_the_head(self) -> None:
        silent = self._cluster.silent_seconds
        if silent < SILENT_SECONDS:
            self._warned = False
            return
        how = "Start the cluster again and resume:  --resume   What is committed is not done again."
        if not self._warned:
            self._warned = True
            self._say(
                f"the head node of the Ray cluster has not answered for {silent:.0f} s; work in hand goes on. "
                f"If this ends: {how[0].lower()}{how[1:]}"
            )
        if silent > SECONDS_WITHOUT_HEAD and not any(actor.leases for actor in self._actors):
            raise OutliveError(
                f"The head node of the Ray cluster has not answered for {silent:.0f} s.", how
            )

    def _call(self, actor: _Actor) -> None:
        """Give an actor that waits for it what it can take."""
        if actor.call is not None or actor.hello is None:
            return
        fresh: list[Lease] = []
        while self._has_room(actor) and (lease := self._next(bool(actor.leases))) is not None:
            actor.leases[lease.id] = lease
            fresh.append(lease)
        if actor.leases:
            seconds = max(SECONDS_TO_REPORT, len(self._actors) / REPORTS_A_SECOND)
            actor.call = actor.handle.work.remote(fresh, seconds)

    def _has_room(self, actor: _Actor) -> bool:
        alone = any(self._losses.is_suspect(lease) for lease in actor.leases.values())
        return len(actor.leases) < LEASES_IN_HAND and not alone

    def _next(self, beside: bool = False) -> Lease | None:
        """The next lease, for an actor that has another one in hand or none."""
        if self._stopping:
            return None
        if self._again:
            if beside and self._losses.is_suspect(self._again[0]):
                return None  # as soon as the actor has nothing else
            return self._again.popleft()
        lease = None if self._drained else next(self._leases, None)
        self._drained = lease is None
        return lease

    def _hear(self) -> list[Outcome]:
        """What the actors say, all that have something to say."""
        calls = {actor.call: actor for actor in self._actors if actor.call is not None}
        if not calls:
            time.sleep(SECONDS_TO_WAIT)
            return []
        done, left = self._ray.wait(list(calls), num_returns=1, timeout=SECONDS_TO_WAIT)
        if done and left:
            done += self._ray.wait(left, num_returns=len(left), timeout=0)[0]
        outcomes: list[Outcome] = []
        for call in done:
            actor = calls[call]
            actor.call = None
            try:
                told = self._ray.get(call)
            except self._ray.exceptions.RayTaskError as error:
                raise OutliveError(f"An actor failed: {error.cause}") from error
            except self._ray.exceptions.RayError as error:
                outcomes += self._lose(actor, error)
                continue
            if isinstance(told, Report):
                outcomes += self._take(actor, told)
            else:
                self._welcome(actor, told)
        self._sum_up()
        return outcomes

    def _welcome(self, actor: _Actor, told: Hello | Failure) -> None:
        if isinstance(told, Failure):
            raise told.raised()
        if told.versions != versions():
            ours, theirs = (
                f"Outlive {one} on Python {two}" for one, two in (versions(), told.versions)
            )
            raise OutliveError(
                f"{told.host} has {theirs}, and this machine {ours}.",
                "All machines of a cluster need the same versions.",
            )
        actor.hello = told

    def _take(self, actor: _Actor, report: Report) -> list[Outcome]:
        actor.progress = report.progress
        found: list[Outcome] = []
        for done in report.done:
            self._vain = 0
            lease = actor.leases.pop(done.lease)
            outcomes = [(at, replace(one, item=lease.items[at])) for at, one in done.outcomes]
            found += self._whole(lease, outcomes)
        if report.failure is not None:
            raise report.failure.raised()
        return found

    def _whole(self, lease: Lease, outcomes: Sequence[tuple[int, Outcome]]) -> list[Outcome]:
        whole = self._losses.done(lease, outcomes)
        if whole is None:
            return []
        original, all_of_it = whole
        if original is not lease and self._store is not None:
            record = record_of_lease(
                self._order.terms.name_of, [one for _, one in sorted(all_of_it.items())]
            )
            self._store.commit(original.id, record)
        return list(all_of_it.values())

    def _lose(self, actor: _Actor, error: Exception) -> list[Outcome]:
        """An actor is gone, whatever the reason: what it had is handed out again, unless it was done."""
        self._actors.remove(actor)
        self._add_up(actor.progress)
        self._counted = -SECONDS_TO_COUNT
        self._vain += 1
        words = next((line.strip() for line in str(error).splitlines() if line.strip()), "")
        if self._vain > VAIN_LOSSES * max(1, len(self._actors) + 1):
            raise OutliveError(
                f"{self._vain} actors were lost, one after the other, and nothing was done meanwhile. The last: {words[:300]}",
                "Look at the cluster (ray status), then resume:  --resume",
            )
        nobodys = isinstance(error, self._ray.exceptions.OutOfMemoryError)
        found: list[Outcome] = []
        alone = len(actor.leases) == 1
        for lease in actor.leases.values():
            known = self._committed(lease)
            if known is not None:
                found += self._whole(lease, known)
                continue
            again = [lease] if nobodys else self._losses.lost(lease, alone)
            self._again.extend(again)
            if not again:
                item = item_of(lease)
                host = actor.hello.host if actor.hello else ""
                name = self._order.terms.name_of(item)
                outcome = lost_outcome(item, name, host, LOSSES, words)
                found += self._whole(lease, [(0, outcome)])
        actor.leases.clear()
        # One that only cannot be reached must not go on with them. This may wait for the head, and nobody shall wait for that.
        threading.Thread(target=self._ray.kill, args=(actor.handle,), daemon=True).start()
        return found

    def _committed(self, lease: Lease) -> list[tuple[int, Outcome]] | None:
        """What an actor had committed, and could not tell any more."""
        if self._store is None or not lease.kept:
            return None
        record = self._store.read(lease.id)
        return None if record is None else kept_outcomes(self._order.terms, lease, record)

    def _add_up(self, one: Progress) -> None:
        self._ended.deaths += one.deaths + 1
        self._ended.busy_seconds += one.busy_seconds
        self._ended.busy_inputs += one.busy_inputs
        self._ended.peak_bytes = max(self._ended.peak_bytes, one.peak_bytes)

    def _sum_up(self) -> None:
        """How far all of it is."""
        mine = [actor.progress for actor in self._actors]
        every = [self._ended, *mine]
        busy = max(mine, key=lambda one: one.in_hand_seconds, default=self._ended)
        nodes = {actor.hello.node for actor in self._actors if actor.hello is not None}
        self.progress = Progress(
            done=sum(one.done for one in every),
            deaths=sum(one.deaths for one in every),
            size=max((one.size for one in mine), default=1),
            used_bytes=sum(one.used_bytes for one in mine),
            peak_bytes=max(one.peak_bytes for one in every),
            busy_seconds=sum(one.busy_seconds for one in every),
            busy_inputs=sum(one.busy_inputs for one in every),
            budget_bytes=sum(one.budget_bytes or 0 for one in mine) or None,
            in_hand=busy.in_hand,
            in_hand_seconds=busy.in_hand_seconds,
            isolated=bool(mine) and all(one.isolated for one in mine if one.facts),
            facts=next((one.facts for one in mine if one.facts), {}),
            nodes=len(nodes),
            lost_nodes=self._cluster.lost,
            actors=len(self._actors),
        )

    def _close(self) -> None:
        """End all actors, in good order where they can: an actor that is killed leaves an empty cgroup behind."""
        if self._cluster.silent_seconds < SILENT_SECONDS:
            idle = [actor for actor in self._actors if actor.hello is not None]
            calls = [actor.handle.close.remote() for actor in idle]
            if calls:
                self._ray.wait(calls, num_returns=len(calls), timeout=SECONDS_TO_CLOSE)
            for actor in self._actors:
                self._ray.kill(actor.handle)
        self._actors.clear()
        self._cluster.close()
