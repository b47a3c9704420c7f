"""Processor time is rationed."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.fact_names import CPU_TIME_LIMIT, CPU_TIME_LIMIT_HARD
from outlive.model.findings import Finding, Remedy
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check


@check("H403", since="0.2", prevents=("cpu-time-limit",))
def cpu_time_limited(here: Surroundings) -> Iterator[Finding]:
    """A limit on CPU time will kill a long program.

    ## Why it matters
    `ulimit -t` counts the seconds of all threads together: on eight CPUs an hour is used up in eight minutes. The
    program then gets SIGXCPU, and SIGKILL at the hard limit.

    ## What to do
    Raise it in the shell that starts the program, or ask the administrator (a login node usually does).
    """
    seconds, hard = here.number(CPU_TIME_LIMIT), here.number(CPU_TIME_LIMIT_HARD)
    if here.text(CPU_TIME_LIMIT) == "unlimited":
        yield here.fine("No CPU time limit.", CPU_TIME_LIMIT)
    elif seconds is None:
        yield here.unknown(CPU_TIME_LIMIT)
    else:
        commands = ("ulimit -t unlimited",) if hard is None else ()
        yield here.warning(
            f"Linux will kill the program after {seconds:.0f} s of CPU time, all threads together.",
            CPU_TIME_LIMIT, CPU_TIME_LIMIT_HARD,
            remedies=(Remedy("Raise the limit, or run the program where there is no such limit.", commands),),
        )  # fmt: skip
