"""A window of samples: what a watch is asked about while the program runs. Frozen, and the same whether it is live or replayed from a record."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field

from outlive.model.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Level:
    """Memory at one moment."""

    at: float  #: seconds since the start
    tree_bytes: int  #: resident, of the program and all processes that it started
    own_bytes: int  #: resident, of the program alone
    reserved_bytes: int  #: its address space
    used_bytes: int | None = (
        None  #: of the limit that is nearest, by all that share it, without the file cache
    )
    limit_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Quota:
    """A cgroup that limits the program's CPU time, with its counters until now."""

    path: str
    cpus: float
    periods: int
    held_back: int  #: periods in which its threads were throttled
    held_seconds: float  #: summed over the CPUs


@dataclass(frozen=True, slots=True)
class WaitForData:
    """How the main thread was seen over the last seconds: waiting for a pipeline's next element, or elsewhere."""

    seen: int
    waiting: int
    waits: int  #: times it fell asleep: one long wait is not many
    line: str = ""  #: of the user's, from which it waited most often


@dataclass(frozen=True, slots=True)
class Reading:
    """What is read every few seconds, because it costs more or changes less."""

    at: float  #: seconds since the start
    cpus: int = 1  #: that the program may run on
    cpu_seconds: float | None = None  #: used by the program and its descendants that live
    machine_busy: float | None = None  #: seconds in which the machine's CPUs worked for anybody
    machine_stolen: float | None = None  #: seconds that the hypervisor gave to another machine
    machine_cpus: int = 1
    ran_seconds: float | None = None  #: the main thread, on a CPU
    waited_seconds: float | None = None  #: the main thread, ready to run and waiting for a CPU
    quotas: tuple[Quota, ...] = ()
    threads: int | None = None
    most_threads: int | None = None  #: that it can have, with what others in its cgroup use now
    open_files: int | None = None
    most_files: int | None = None
    disks: Mapping[str, tuple[int, int]] = field(
        default_factory=dict
    )  #: mount point -> free and total bytes
    gpus: tuple[
        tuple[int, int], ...
    ] = ()  #: used and total bytes of each card that the program uses
    data: WaitForData | None = None


@dataclass(frozen=True, slots=True)
class Window:
    """The run so far: dense lately, sparse long ago."""

    levels: Sequence[Level] = ()
    readings: Sequence[Reading] = ()

    def lately(self, seconds: float) -> Sequence[Reading]:
        """The readings of the last seconds."""
        if not self.readings:
            return ()
        since = self.readings[-1].at - seconds
        return [reading for reading in self.readings if reading.at >= since]

    def series(self, value: Callable[[Reading], float | None]) -> list[tuple[float, float]]:
        """One value over time, where it was read."""
        found = [(reading.at, value(reading)) for reading in self.readings]
        return [(at, known) for at, known in found if known is not None]
