"""Fewer processors than threads will be started for."""

from __future__ import annotations

import math
from collections.abc import Iterator

from outlive.model.fact_names import CPU_QUOTA, CPUS_ALLOWED, CPUS_OF_THE_MACHINE
from outlive.model.findings import Finding, Remedy
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check

#: A quota a little below the number of processors hurts nobody.
WORTH_SAYING = 0.75


@check("H103", since="0.2")
def cpu_quota_small(here: Surroundings) -> Iterator[Finding]:
    """The cgroup's CPU quota is smaller than the number of CPUs that TensorFlow counts.

    ## Why it matters
    TensorFlow, tf.data and OpenMP start one thread for each CPU that they may run on. They do not read the quota of a
    container (`--cpus=2`): on a machine with 64 CPUs, 64 threads share the time of two, are paused together until each
    period ends, and hold the memory of 64 parallel calls.

    ## What to do
    Tell the libraries the number, or give the container whole CPUs (`--cpuset-cpus`), which they do see.
    """
    quota, allowed = here.number(CPU_QUOTA), here.number(CPUS_ALLOWED)
    if allowed is None:
        yield here.unknown(CPUS_ALLOWED)
    elif quota is not None and quota < WORTH_SAYING * allowed:
        threads = max(1, math.ceil(quota))
        yield here.warning(
            f"TensorFlow will start {allowed:.0f} threads, but the cgroup allows only {quota:g} CPUs.",
            CPU_QUOTA,
            CPUS_ALLOWED,
            remedies=(
                Remedy(
                    "Tell the libraries how many CPUs to use.",
                    (
                        f"export TF_NUM_INTRAOP_THREADS={threads} TF_NUM_INTEROP_THREADS={threads} OMP_NUM_THREADS={threads}",
                    ),
                ),
            ),
        )
    elif "cpu quota" in here.gaps:
        yield here.fine(
            f"{allowed:.0f} CPUs; no quota is visible.",
            CPUS_ALLOWED,
            CPUS_OF_THE_MACHINE,
        )
    else:
        told = f"a quota of {quota:g}" if quota is not None else "no quota"
        yield here.fine(f"{allowed:.0f} CPUs, {told}.", CPUS_ALLOWED, CPU_QUOTA)
