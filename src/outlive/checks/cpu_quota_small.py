"""Fewer processors than threads will be started for."""

from __future__ import annotations

import math
from collections.abc import Iterator

from outlive.model import Finding, Remedy
from outlive.surroundings import Surroundings
from outlive.unit import check

#: A quota a little below the number of processors hurts nobody.
WORTH_SAYING = 0.75


@check("H103", since="0.2")
def cpu_quota_small(here: Surroundings) -> Iterator[Finding]:
    """The control group gives less processor time than TensorFlow believes to have.

    ## Why it matters
    TensorFlow, tf.data and OpenMP start one thread for each processor that they may run on. They do not read the quota of a container
    (`--cpus=2`): on a machine of 64 processors, 64 threads share the time of two, stop together at the end of each period, and hold the
    memory of 64 parallel calls.

    ## What to do
    Tell the libraries the number, or give the container whole processors (`--cpuset-cpus`), which they do see.
    """
    quota, allowed = here.number("cpu quota"), here.number("cpus allowed")
    if allowed is None:
        yield here.unknown("cpus allowed")
    elif quota is not None and quota < WORTH_SAYING * allowed:
        threads = max(1, math.ceil(quota))
        yield here.warning(
            f"TensorFlow will start {allowed:.0f} threads where the control group gives the time of {quota:g} processors.",
            "cpu quota",
            "cpus allowed",
            remedies=(
                Remedy(
                    "Tell the libraries how many there are.",
                    (
                        f"export TF_NUM_INTRAOP_THREADS={threads} TF_NUM_INTEROP_THREADS={threads} OMP_NUM_THREADS={threads}",
                    ),
                ),
            ),
        )
    elif "cpu quota" in here.gaps:
        yield here.fine(
            f"{allowed:.0f} processors; no quota can be seen.",
            "cpus allowed",
            "cpus of the machine",
        )
    else:
        told = f"a quota of {quota:g}" if quota is not None else "no quota"
        yield here.fine(f"{allowed:.0f} processors, {told}.", "cpus allowed", "cpu quota")
