"""How far a job of many workers is, told by each of them in the job's folder, and read by whoever asks."""

from __future__ import annotations

import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from outlive.errors import UsageError
from outlive.jobs.leases.parts import Parts
from outlive.model.quick_dataclass import dataclass

FOLDER = "standing"

#: Each tells where it stands this often; one that has been silent for so many times as long is not heard any more.
SECONDS_BETWEEN = 5.0
SILENT_SECONDS = 60.0

#: The rate is that of the last results.
RATE_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Shard:
    """One of several that share a job, counted from 0; a driver of actors is the only one."""

    index: int = 0
    count: int = 1

    @property
    def name(self) -> str:
        """What its file is called."""
        return f"{self.index}-of-{self.count}"


def shard_of(text: str) -> Shard:
    """Read ``i/N``."""
    index, _, count = text.partition("/")
    if not (index.isdecimal() and count.isdecimal() and int(index) < int(count)):
        raise UsageError(
            f"--shard {text} is not a shard: it is I/N, and I counts from 0 to N-1.",
            "For example:  --shard 0/4   or, in an array of 4:  --shard $SLURM_ARRAY_TASK_ID/4",
        )
    return Shard(int(index), int(count))


@dataclass(frozen=True, slots=True)
class Standing:
    """What one of them says of itself."""

    host: str
    at: float
    began: float
    finished: bool = False
    inputs: int | None = None  #: that are listed in all, those of other shards included
    answered: int = 0  #: by it, since it was started
    nodes: int = 1
    lost_nodes: int = 0
    actors: int = 0


class Teller:
    """Tells where one shard or driver stands, now and then."""

    def __init__(self, parts: Parts, shard: Shard) -> None:
        self._parts = parts
        self._name = f"{FOLDER}/{shard.name}.json"
        self._began = time.time()
        self._told = -SECONDS_BETWEEN

    def tell(self, facts: Callable[[], Mapping[str, Any]], finished: bool = False) -> None:
        """Write it down, if it is time."""
        if not finished and time.monotonic() - self._told < SECONDS_BETWEEN:
            return
        self._told = time.monotonic()
        host = os.uname().nodename
        standing = Standing(host, time.time(), self._began, finished, **facts())
        self._parts.storage.put(self._name, json.dumps(asdict(standing)).encode())


@dataclass(frozen=True, slots=True)
class Status:
    """A job as it is in its folder."""

    done: int
    quarantined: Mapping[str, int]  #: by cause
    hosts: int
    inputs: int | None
    rate: float  #: inputs a second, of late
    standings: Mapping[str, Standing]
    now: float

    @property
    def answered(self) -> int:
        """Inputs that nothing is left to be done with."""
        return self.done + sum(self.quarantined.values())

    @property
    def shards(self) -> int:
        """Into how many it is divided, by those that were begun last."""
        newest = max(self.standings.items(), key=lambda one: one[1].began, default=None)
        return int(newest[0].rpartition("-of-")[2]) if newest else 0

    @property
    def missing(self) -> tuple[int, ...]:
        """The shards that have not finished, or not begun."""
        names = [Shard(index, self.shards).name for index in range(self.shards)]
        return tuple(
            at
            for at, name in enumerate(names)
            if name not in self.standings or not self.standings[name].finished
        )

    @property
    def finished(self) -> bool:
        """Whether all of its shards have finished."""
        return bool(self.shards) and not self.missing

    @property
    def working(self) -> tuple[Standing, ...]:
        """Those that have not finished and were heard of a moment ago."""
        return tuple(
            one
            for one in self.standings.values()
            if not one.finished and self.now - one.at < SILENT_SECONDS
        )

    @property
    def seconds_left(self) -> float | None:
        """How long it may take, at the rate of late."""
        if self.inputs is None or self.rate <= 0 or self.finished:
            return None
        return max(0, self.inputs - self.answered) / self.rate


def status_of(parts: Parts) -> Status:
    """Read it; memory does not grow with the number of inputs."""
    now = time.time()
    parts.look()
    causes: Counter[str] = Counter()
    hosts: set[str] = set()
    done = late = 0
    first, last = now, 0.0
    for record in parts.records():
        count = len(record["done"]) + len(record["quarantined"])
        done += len(record["done"])
        causes.update(one["cause"] for one in record["quarantined"])
        hosts.add(record["host"])
        if now - record["at"] < RATE_SECONDS:
            late += count
            first, last = min(first, record["at"]), max(last, record["at"])
    standings = dict(_standings(parts))
    inputs = max((one.inputs for one in standings.values() if one.inputs is not None), default=None)
    rate = late / (last - first) if last > first else 0.0
    return Status(done, dict(causes), len(hosts), inputs, rate, standings, now)


def _standings(parts: Parts) -> Iterator[tuple[str, Standing]]:
    for name in parts.storage.names(FOLDER):
        data = parts.storage.read(f"{FOLDER}/{name}")
        if data:
            yield name.removesuffix(".json"), Standing(**json.loads(data))
