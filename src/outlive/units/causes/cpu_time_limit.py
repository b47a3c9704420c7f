"""The limit on CPU time was reached."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import (
    CPU_TIME,
    CPU_TIME_LIMIT,
    CPU_TIME_LIMIT_HARD,
    LAST_LINE_SEEN,
    RUN_TIME,
)
from outlive.model.findings import Confidence, Finding, Remedy
from outlive.units.unit import cause


@cause(
    "D206",
    since="0.1",
    searched=(
        "CPU time limit exceeded (core dumped)",
        "exit code 152",
        "SIGXCPU",
        "exit code 137",
    ),
)
def cpu_time_limit(evidence: Evidence) -> Iterator[Finding]:
    """The program used up the CPU time that it was allowed (`ulimit -t`, RLIMIT_CPU).

    ## What happened
    Login nodes and batch systems limit CPU seconds. At the soft limit Linux sends SIGXCPU every second, at the hard limit
    SIGKILL. All threads count together: eight busy threads use eight seconds a second.

    ## How we know
    The program was killed by SIGXCPU, or by SIGKILL with as much CPU time used as its hard limit allows. Where the CPU
    time that was read is slightly below the limit, the cause is *likely*, not *proven*.

    ## What to do
    Raise the limit, run it where there is none, or save checkpoints and continue in a second run.
    """
    got = evidence.signals.sender_of("SIGXCPU")
    by_signal = evidence.run.fatal_signal == "SIGXCPU" and (got is None or got.sender_pid is None)
    if not by_signal and not evidence.signals.near_cpu_limit():
        return
    reached = CPU_TIME_LIMIT if by_signal else CPU_TIME_LIMIT_HARD
    limit, used = evidence.run.fact(reached), evidence.run.fact(CPU_TIME)
    decided = by_signal or evidence.signals.over_cpu_limit()
    allowed = f" of {limit} s" if isinstance(limit, int) else ""
    spent = f" after {used:.0f} s of CPU time" if isinstance(used, float) else ""
    yield Finding(
        f"The CPU time limit{allowed} was reached{spent}.",
        evidence.run.because(
            CPU_TIME_LIMIT, CPU_TIME_LIMIT_HARD, CPU_TIME, RUN_TIME, LAST_LINE_SEEN
        ),
        Confidence.PROVEN if decided else Confidence.LIKELY,
        (Remedy("Raise or remove the limit for this program.", ("ulimit -t unlimited",)),),
        where=evidence.run.busy,
    )
