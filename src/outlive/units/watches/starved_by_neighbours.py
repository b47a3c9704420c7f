"""Others that take the CPUs away."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Confidence, Fact, Finding, Remedy
from outlive.model.outlook.window import Reading, Window
from outlive.units.unit import watch

SECONDS = 30.0

#: The main thread wants to run for this share of the time, and waits for a CPU for that share of it.
WANTS = 0.5
WAITS = 0.5

#: The machine is this busy, and others do at least this part of it.
BUSY = 0.95
OTHERS = 0.5

#: Of a quota's periods: from here on the quota is the reason.
THROTTLED = 0.1

#: Of the machine's time, taken by the hypervisor.
STOLEN = 0.2


@watch("W302", since="0.3")
def starved_by_neighbours(window: Window) -> Iterator[Finding]:
    """Other programs, or the hypervisor, take the CPUs that the program waits for.

    ## What it sees
    How long the main thread ran and how long it was ready and waited for a CPU (`/proc/PID/schedstat`), how busy the machine is and how much of that is the program's own, and the time
    that the hypervisor gave to another machine (`/proc/stat`).

    ## When it speaks
    When over half a minute the main thread waited for a CPU longer than it ran, all CPUs were busy, and others did at least half of the work; or when a fifth of the machine's time was
    stolen. A program that starts more threads than there are CPUs takes them from itself, and the watch is silent.

    ## What to do
    See who runs beside it (`top`), give it CPUs of its own (`taskset`, cpusets, a CPU request in Kubernetes), or move it.
    """
    lately = window.lately(SECONDS)
    if len(lately) < 4 or lately[-1].at - lately[0].at < SECONDS - 6:
        return
    first, last = lately[0], lately[-1]
    seconds = last.at - first.at
    stolen = _between(first.machine_stolen, last.machine_stolen)
    busy = _between(first.machine_busy, last.machine_busy)
    capacity = seconds * last.machine_cpus
    if stolen is not None and stolen >= STOLEN * capacity:
        yield _said(
            f"The hypervisor took {stolen / capacity:.0%} of this machine's CPU time.", last
        )
        return
    ran = _between(first.ran_seconds, last.ran_seconds)
    waited = _between(first.waited_seconds, last.waited_seconds)
    own = _between(first.cpu_seconds, last.cpu_seconds)
    if ran is None or waited is None or own is None or busy is None:
        return
    if _throttled(first, last):
        return  # a thread that its quota holds back is ready and waits, too
    starves = ran + waited >= WANTS * seconds and waited >= WAITS * (ran + waited)
    if starves and busy >= BUSY * capacity and busy - own >= OTHERS * busy:
        yield _said(
            f"Other programs use {(busy - own) / seconds:.1f} of this machine's {last.machine_cpus} CPUs; the main thread waited for one in "
            f"{waited / seconds:.0%} of the time.",
            last,
        )


def _throttled(first: Reading, last: Reading) -> bool:
    """Whether a quota held the program back more than now and then."""
    before = {quota.path: quota for quota in first.quotas}
    for quota in last.quotas:
        old = before.get(quota.path, quota)
        if quota.held_back - old.held_back > THROTTLED * (quota.periods - old.periods):
            return True
    return False


def _said(says: str, last: Reading) -> Finding:
    return Finding(
        says,
        (Fact("CPUs that it may use", f"{last.cpus} of {last.machine_cpus}", "sched_getaffinity"),),
        Confidence.PROVEN,
        (Remedy("Give the program CPUs of its own, or run it where it is alone."),),
    )


def _between(before: float | None, after: float | None) -> float | None:
    return after - before if before is not None and after is not None and after >= before else None
