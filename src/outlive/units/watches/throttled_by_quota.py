"""A CPU quota that holds the program back."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from outlive.model.findings import Confidence, Fact, Finding, Remedy
from outlive.model.outlook.window import Window
from outlive.units.unit import watch

#: In each of two neighbouring spans: this share of the periods, and at least so many of them.
MOST_PERIODS = 0.5
SPAN_SECONDS = 10.0
FEWEST_PERIODS = 50


@watch("W301", since="0.3", prevents=("cpu-throttled",))
def throttled_by_quota(window: Window) -> Iterator[Finding]:
    """Linux holds the program back most of the time, for a CPU quota.

    ## What it sees
    The counters of every cgroup above the program that has a quota (`cpu.stat`: `nr_periods`, `nr_throttled`), as `docker --cpus`, a CPU limit of Kubernetes and `CPUQuota=` set
    one.

    ## When it speaks
    When the program was throttled in more than half of the quota's periods, in two spans of ten seconds one after the other. A start that meets the quota for a moment is not
    enough.

    ## What to do
    Give the container more CPUs, or start no more threads than the quota has CPUs.
    """
    spans = [window.lately(SPAN_SECONDS + 6), window.lately(2 * SPAN_SECONDS + 6)]
    if len(spans[1]) < 3 or spans[1][-1].at - spans[1][0].at < 2 * SPAN_SECONDS - 1:
        return
    last, first = spans[1][-1], spans[1][0]
    middle = min(spans[1][1:-1], key=lambda it: abs(it.at - (first.at + last.at) / 2))
    for quota in last.quotas:
        counters = [
            (old.periods, old.held_back, old.held_seconds)
            for reading in (first, middle, last)
            for old in reading.quotas
            if old.path == quota.path
        ]
        if len(counters) < 3 or quota.cpus >= last.cpus:
            continue
        shares = []
        for before, after in itertools.pairwise(counters):
            periods = after[0] - before[0]
            shares.append((after[1] - before[1]) / periods if periods >= FEWEST_PERIODS else 0.0)
        if min(shares) > MOST_PERIODS:
            cpus = max(1, round(quota.cpus))
            yield Finding(
                f"The program is throttled: its cgroup gives it {quota.cpus:g} CPUs, and Linux held it back in {min(shares):.0%} of the quota's periods.",
                (Fact("quota", f"{quota.cpus:g} CPUs", f"{quota.path}/cpu.stat", private=True),),
                Confidence.PROVEN,
                (
                    Remedy("Raise the CPU quota (docker --cpus, resources.limits.cpu, CPUQuota=)."),
                    Remedy(
                        f"Or start no more threads than the quota has CPUs: OMP_NUM_THREADS={cpus} TF_NUM_INTRAOP_THREADS={cpus}."
                    ),
                ),
            )
            return
