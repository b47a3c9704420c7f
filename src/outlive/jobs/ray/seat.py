"""What runs inside an actor: the same workers as on one machine, with the memory and the cores that Ray gave.

Nothing in here may outlive the actor: the zygote dies with it, and the workers with the zygote. So it runs in the main thread of its process, whose end the kernel
tells to its children; an actor with threads of its own would not.
"""

from __future__ import annotations

import os
import platform
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from typing import Any

import outlive
from outlive.errors import OutliveError
from outlive.inside.machine.host import Host
from outlive.jobs.leases.cut import Lease
from outlive.jobs.leases.lease_worker import Failure, LeaseWorker, Report, Terms
from outlive.jobs.leases.open_storage import storage_at
from outlive.jobs.leases.parts import Parts
from outlive.jobs.ray.cluster import SECONDS_BETWEEN, load_ray
from outlive.jobs.ray.cores import Cores
from outlive.jobs.ray.parcel import Parcel, unpacked
from outlive.model.quick_dataclass import dataclass
from outlive.recorder.worker_cgroup import sweep

#: Ray's memory monitor kills actors when their node is this full, and whom it chooses is not for us to say. The workers of all actors together stay below by so much.
THRESHOLD = ("RAY_memory_usage_threshold", 0.95)
BELOW_THRESHOLD = 0.1

#: Ray makes each of its workers the first to be killed when memory runs out. Where it may, an actor steps back behind its own worker.
BEHIND_THE_WORKER = "900"


@dataclass(frozen=True, slots=True)
class Order:
    """What an actor needs to know before its first lease."""

    terms: Terms
    out: str | None = None  #: where the results of leases are kept
    parcels: Mapping[str, tuple[Parcel, Any]] = field(
        default_factory=dict
    )  #: by the argument of the task that they are for


@dataclass(frozen=True, slots=True)
class Hello:
    """Where an actor is, and what it has."""

    host: str
    node: str
    pid: int
    cores: int
    budget: int | None
    versions: tuple[str, str]


class Seat:
    """An actor: its place on a machine, and the workers in it."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._worker: LeaseWorker | None = None
        self._cores = Cores()
        threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()

    def hello(self) -> Hello | Failure:
        """Take place."""
        ray = load_ray()
        context = ray.get_runtime_context()
        cpus = float(context.get_assigned_resources().get("CPU", 1))
        node = context.get_node_id()
        cores = self._cores.take(max(1, int(cpus)))
        _step_back()
        mine = next((one for one in ray.nodes() if one["NodeID"] == node), None)
        resources = mine["Resources"] if mine else {}
        budget = self._order.terms.budget or _share(resources, cpus)
        try:
            terms = self._at_home(budget, len(cores))
        except OSError as error:
            return Failure(f"{os.uname().nodename}: the model cannot be unpacked: {error}", "")
        store = Parts(storage_at(self._order.out)) if self._order.out else None
        self._worker = LeaseWorker(terms, store)
        return Hello(os.uname().nodename, node, os.getpid(), len(cores), budget, versions())

    def _at_home(self, budget: int | None, cores: int) -> Terms:
        terms = self._order.terms
        arguments = dict(terms.task.arguments)
        for name, (parcel, reference) in self._order.parcels.items():
            arguments[name] = unpacked(parcel, lambda it=reference: load_ray().get(it))  # type: ignore[misc]
        variables = {
            **terms.task.variables,
            "OMP_NUM_THREADS": str(cores),
            "PYTHONBREAKPOINT": "0",  # Ray's waits for somebody who never comes
        }
        task = replace(terms.task, arguments=arguments, variables=variables)
        workers = cores if terms.chunk is not None else 1
        return replace(terms, task=task, budget=budget, workers=workers)

    def work(self, leases: Sequence[Lease], seconds: float) -> Report:
        """Take these leases, too; return when one is done, or after this long."""
        assert self._worker is not None
        return self._worker.work(leases, seconds)

    def close(self) -> None:
        """End the workers, and leave nothing of this actor or of one that was killed before it."""
        with suppress(OutliveError):
            if self._worker is not None:
                self._worker.close()
        self._cores.give_back()
        sweep(Host())


def _end_with(raylet: int) -> None:
    """Ray ends the actors of a raylet that is gone, unless it takes a zombie for a living one; with the actor goes its zygote."""
    while os.getppid() == raylet:
        time.sleep(SECONDS_BETWEEN)
    os._exit(1)


def versions() -> tuple[str, str]:
    """Outlive's and Python's: what is sent from one to the other must mean the same there."""
    return outlive.__version__, platform.python_version()


def _share(resources: Mapping[str, float], cpus: float) -> int | None:
    """Of the memory that Ray counts on this node, as much as of its cores."""
    if not resources.get("CPU") or not resources.get("memory"):
        return None
    part = min(1.0, cpus / resources["CPU"])
    name, usual = THRESHOLD
    threshold = float(os.environ.get(name, usual))
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return int(min(resources["memory"], whole * max(0.1, threshold - BELOW_THRESHOLD)) * part)


def _step_back() -> None:
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write(BEHIND_THE_WORKER)
