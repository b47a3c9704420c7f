"""The limit on CPU time was reached."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, Finding, Remedy
from outlive.unit import cause


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
    Login nodes and batch systems limit CPU seconds. At the soft limit the kernel sends SIGXCPU every second, at the hard limit
    SIGKILL. All threads count together: eight busy threads use eight seconds a second.

    ## How we know
    The program ended by SIGXCPU, or by SIGKILL with as much CPU time used as its hard limit allows. Where the machine's clock of CPU time
    falls short of it by a little, it is likely and not proven.

    ## What to do
    Raise the limit, run it where there is none, or save checkpoints and continue in a second run.
    """
    got = evidence.sender_of("SIGXCPU")
    by_signal = evidence.fatal_signal == "SIGXCPU" and (got is None or got.sender_pid is None)
    if not by_signal and not evidence.near_cpu_limit():
        return
    reached = "cpu time limit" if by_signal else "cpu time limit, hard"
    limit, used = evidence.fact(reached), evidence.fact("cpu time")
    decided = by_signal or evidence.over_cpu_limit()
    allowed = f" of {limit} s" if isinstance(limit, int) else ""
    spent = f" after {used:.0f} s of CPU time" if isinstance(used, float) else ""
    yield Finding(
        f"The limit{allowed} on CPU time was reached{spent}.",
        evidence.because(
            "cpu time limit", "cpu time limit, hard", "cpu time", "run time", "last line seen"
        ),
        Confidence.PROVEN if decided else Confidence.LIKELY,
        (Remedy("Raise or drop the limit for this program.", ("ulimit -t unlimited",)),),
        where=evidence.busy,
    )
