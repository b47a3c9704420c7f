"""The executor of one shard: this machine's workers, lease by lease, each lease's results in a file of their own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from outlive.jobs.executor import Outcome, Progress
from outlive.jobs.leases.cut import Lease
from outlive.jobs.leases.lease_worker import LEASES_IN_HAND, LeaseWorker, Report, Terms
from outlive.jobs.leases.parts import Parts

#: Whoever watches is let look around this often.
SECONDS_TO_LOOK = 0.5


class ShardExecutor:
    """An `Executor` that works on leases as they are listed."""

    def __init__(self, terms: Terms, leases: Iterator[Lease], store: Parts) -> None:
        self._leases = leases
        self._worker = LeaseWorker(terms, store)
        self._stopping = False
        self.finished = False  #: every lease is done

    @property
    def progress(self) -> Progress:
        """How far it is."""
        return self._worker.executor.progress

    @property
    def worker_pid(self) -> int | None:
        """The worker's number, while there is one."""
        return self._worker.executor.worker_pid

    def stop(self) -> None:
        """Finish what is handed out, and no more; a second time: stop at once."""
        self._stopping = True
        self._worker.stop()

    def run(self) -> Iterator[Sequence[Outcome]]:
        """The outcomes of each lease when it is safe."""
        open_leases: dict[str, Lease] = {}
        drained = False
        try:
            while True:
                fresh: list[Lease] = []
                while not drained and not self._stopping and self._room(len(fresh)):
                    lease = next(self._leases, None)
                    drained = lease is None
                    if lease is not None and lease.id not in open_leases:
                        open_leases[lease.id] = lease
                        fresh.append(lease)
                if not open_leases:
                    self.finished = drained
                    return
                report = self._worker.work(fresh, SECONDS_TO_LOOK)
                yield [
                    replace(one, item=lease.items[place])
                    for done in report.done
                    if (lease := open_leases.pop(done.lease))
                    for place, one in done.outcomes
                ]
                if self._ended(report):
                    return
        finally:
            self._worker.close()

    def _room(self, fresh: int) -> bool:
        return self._worker.in_hand + fresh < LEASES_IN_HAND

    def _ended(self, report: Report) -> bool:
        if report.failure is not None:
            raise report.failure.raised()
        return self._worker.executor.is_over
