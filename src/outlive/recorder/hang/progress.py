"""Does the program make progress? Judged from outside: CPU time and bytes moved, beyond a trickle."""

from __future__ import annotations

from outlive.inside.machine.host import Host
from outlive.recorder.sampler import process_stat

TYPE_CHECKING = False  # importing ``typing`` for this would cost more than the rest of the module
if TYPE_CHECKING:
    from collections.abc import Iterable

#: CPU time below this share of one core does not count as progress: a waiting loop and the recorder in the program use some.
TRICKLE_OF_CPU = 0.03
#: One look of ours may take that long, and a clock tick is a hundredth.
CPU_SLACK_SECONDS = 0.15

#: The recorder inside reads its own memory use ten times a second; the rest is other processes' affair.
TRICKLE_BYTES_PER_SECOND = 4000
SLACK_BYTES = 64_000


class Reading:
    """CPU time and bytes of the program and its descendants, at one moment."""

    __slots__ = ("at", "bytes", "cpu_seconds", "processes")

    def __init__(
        self, at: float, cpu_seconds: float, moved: int, processes: frozenset[int]
    ) -> None:
        self.at = at
        self.cpu_seconds = cpu_seconds
        self.bytes = moved
        self.processes = processes


def read(host: Host, pids: Iterable[int], at: float) -> Reading:
    """Of all these processes together; one that cannot be read adds nothing."""
    cpu, moved, found = 0.0, 0, set()
    for pid in pids:
        stat = process_stat(host, pid)
        if stat is None or stat.state == "Z":
            continue
        found.add(pid)
        cpu += stat.cpu_seconds
        table = host.table(f"/proc/{pid}/io")
        moved += table.get("rchar", 0) + table.get("wchar", 0)
    return Reading(at, cpu, moved, frozenset(found))


class Stillness:
    """Since when nothing has moved."""

    def __init__(self) -> None:
        self._since: Reading | None = None
        self._last: Reading | None = None

    def saw(self, now: Reading) -> None:
        """Compare with the moment at which everything still stood."""
        if self._since is None or moved_between(self._since, now):
            self._since = now
        self._last = now

    def moved(self) -> None:
        """Somebody else saw progress."""
        self._since = self._last

    @property
    def seconds(self) -> float:
        """For how long nothing has moved."""
        return self._last.at - self._since.at if self._last and self._since else 0.0

    @property
    def cpu_share(self) -> float:
        """Of one core, in that time."""
        if self._last is None or self._since is None or self.seconds <= 0:
            return 0.0
        return (self._last.cpu_seconds - self._since.cpu_seconds) / self.seconds


def moved_between(before: Reading, now: Reading) -> bool:
    """Whether more than a trickle of CPU time was used or of bytes was moved, or a process came or went."""
    seconds = now.at - before.at
    cpu = now.cpu_seconds - before.cpu_seconds
    moved = now.bytes - before.bytes
    return (
        now.processes != before.processes
        or cpu > TRICKLE_OF_CPU * seconds + CPU_SLACK_SECONDS
        or moved > TRICKLE_BYTES_PER_SECOND * seconds + SLACK_BYTES
    )
