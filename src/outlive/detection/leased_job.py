"""A detection job that many work on: shards of it on their own, or actors with one driver. Its results are merged when all have finished."""

from __future__ import annotations

import itertools
import os
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from outlive.data.addresses import is_address
from outlive.detection.images.draw_boxes import FOLDER_NAME
from outlive.detection.items import Items, name_of, path_of, refuse_no_input
from outlive.detection.make_results import WRITES, Made, make_results
from outlive.detection.settings import Settings
from outlive.errors import UsageError
from outlive.jobs.endure import QUARANTINE_NAME, Answer, endure
from outlive.jobs.executor import Progress
from outlive.jobs.leases.cut import (
    LEASES_OF_A_SMALL_JOB,
    USUAL_SIZE,
    Lease,
    is_of_shard,
    leases_of,
    size_for,
)
from outlive.jobs.leases.lease_worker import Terms
from outlive.jobs.leases.open_storage import storage_at
from outlive.jobs.leases.parts import FOLDER, Parts
from outlive.jobs.leases.shard_executor import ShardExecutor
from outlive.jobs.leases.standing import Shard, Teller, status_of
from outlive.jobs.local_executor import DEADLINE, PATIENCE
from outlive.jobs.ray.executor import RayExecutor
from outlive.jobs.results_journal import writing
from outlive.model.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Actors:
    """Where and how the actors of a job are, if it is done by actors."""

    address: str | None
    cpus: int
    say: Callable[[str], None]


class LeasedDetection:
    """One shard of a job of `outlive detect`, or a driver of all of it."""

    def __init__(
        self,
        settings: Settings,
        names: Callable[[], Iterable[str]],
        out: str,
        shard: Shard | None = None,
        resume: bool = False,
        actors: Actors | None = None,
    ) -> None:
        refuse_no_input(names)
        self.settings = settings
        self.sheet: str | None = None
        self.shard = shard
        self.done_before = 0  #: counted as they are listed
        self.quarantined_before = 0
        self._all = Items(names, settings.every, out, everywhere=True)
        self._parts = Parts(storage_at(out))
        found = self._parts.adopt(
            settings.identity(), self._terms(), None if shard else resume, WRITES
        )
        self._size = int(found["size"])
        self._parts.look()
        if settings.draw:
            with writing(out):
                os.makedirs(os.path.join(out, FOLDER_NAME), exist_ok=True)
        self.total: int | None = None
        self._answered = self._refused = 0
        self._teller = Teller(self._parts, shard or Shard())
        self.job: ShardExecutor | RayExecutor
        if actors is None:
            self.job = ShardExecutor(self._how(out), self._leases(), self._parts)
        else:
            self.job = RayExecutor(
                self._how(out),
                self._leases(),
                actors.address,
                store=self._parts,
                parcels={"model": settings.model},
                cpus=actors.cpus,
                say=actors.say,
            )
        threading.Thread(target=self._count, daemon=True).start()

    def _terms(self) -> Mapping[str, Any]:
        """What all that work on this job have in common, and what the results are made with."""
        most = USUAL_SIZE * LEASES_OF_A_SMALL_JOB
        few = sum(1 for _ in itertools.islice(self._all, most))
        settings = self.settings
        labels = {str(number): name for number, name in settings.labels.items()}
        return {
            "size": size_for(few),
            "format": settings.format,
            "draw": settings.draw,
            "labels": labels,
        }

    def _how(self, out: str) -> Terms:
        settings = self.settings
        return Terms(
            settings.task(out),
            name_of,
            path_of,
            most=settings.batch,
            deadline=settings.deadline or DEADLINE,
            patience=PATIENCE if settings.deadline is None else 1.0,
            budget=settings.budget,
            least_bytes=settings.least_bytes,
        )

    def _count(self) -> None:
        """While others work: how many there are in all, which takes as long as it takes to list them."""
        self.total = sum(1 for _ in self._all)

    def _leases(self) -> Iterator[Lease]:
        for lease in leases_of(self._all, name_of, self._size):
            if self.shard is not None and not is_of_shard(
                lease.id, self.shard.index, self.shard.count
            ):
                continue
            if self._parts.was_done(lease.id):
                self.done_before += len(lease.items)
            else:
                yield lease

    @property
    def folder(self) -> str:
        """Where it keeps what it finds."""
        return self._parts.address

    @property
    def merged_later(self) -> bool:
        """Whether it is one shard: its results are made when all shards have finished."""
        return self.shard is not None

    @property
    def resume_words(self) -> tuple[str, ...]:
        """What has to be added to the command to go on: a shard goes on when it is started again."""
        return () if self.shard else ("--resume",)

    def is_whole(self, answered: int) -> bool:
        """Whether nothing is left to do."""
        return self.job.finished

    def answers(self) -> Iterator[Sequence[Answer]]:
        """As they are safe; sometimes none."""
        for some in endure(self.job, None, name_of, path_of):
            self._answered += len(some)
            self._refused += sum(not one.good for one in some)
            self._teller.tell(self._standing)
            yield some

    def _standing(self) -> Mapping[str, Any]:
        progress: Progress = self.job.progress
        return {
            "inputs": self.total,
            "answered": self._answered,
            "nodes": max(1, progress.nodes),
            "lost_nodes": progress.lost_nodes,
            "actors": progress.actors,
        }

    def finish(self) -> str | None:
        """Say that it has finished, if it has; a driver merges the results. The path of the file."""
        self._teller.tell(self._standing, finished=self.job.finished)
        if not self.job.finished or self.shard is not None:
            return None
        merged = merge(self.folder)
        self.sheet = merged.sheet
        self.quarantined_before = merged.quarantined - self._refused
        return merged.path

    def close(self) -> None:
        """Nothing is held: there is no lock on what is only ever added to."""


@dataclass(frozen=True, slots=True)
class Merged:
    """The results of all leases in one file."""

    path: str
    sheet: str | None
    done: int
    quarantined: int
    missing: tuple[int, ...]  #: shards that have not finished
    shards: int
    damaged: int  #: files of leases that were not whole


def merge(out: str) -> Merged:
    """Make the results of all leases that are done; each input counts once, however many leases hold it."""
    parts = Parts(storage_at(out))
    job = parts.job()
    if job is None or next(parts.storage.names(FOLDER), None) is None:
        raise UsageError(
            f"There is no job with shards in {out}.",
            "Give the folder that was given as --out to `outlive detect --shard` or `--on ray`.",
        )
    terms = job["leases"]
    labels = {int(number): name for number, name in terms["labels"].items()}
    parts.look()
    damaged = parts.forget_damaged()
    parts.count_once()
    status = status_of(parts)
    path, sheet = _results(parts, Made(terms["format"], labels, terms["draw"]))
    done = quarantined = 0
    for record in parts.records():
        done += len(record["done"])
        quarantined += len(record["quarantined"])
    if status.finished:
        parts.storage.sweep(FOLDER)
    return Merged(path, sheet, done, quarantined, status.missing, status.shards, len(damaged))


def _results(parts: Parts, made: Made) -> tuple[str, str | None]:
    """Make them where the job is; those of a job in a store are made here, and put there."""
    if not is_address(parts.address):
        return make_results(parts.address, parts.records, made)
    with tempfile.TemporaryDirectory(prefix="outlive-merge-") as folder:
        path, _ = make_results(folder, parts.records, made)
        for name in (QUARANTINE_NAME, os.path.basename(path)):
            parts.storage.put_path(name, os.path.join(folder, name))
        return f"{parts.address}/{os.path.basename(path)}", None
