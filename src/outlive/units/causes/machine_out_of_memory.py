"""The whole machine ran out of memory."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import (
    LAST_LINE_SEEN,
    MACHINE_MEMORY,
    MACHINE_MEMORY_AVAILABLE,
    OOM_KILLS_ON_THE_MACHINE,
    PEAK_MEMORY,
    RUN_TIME,
)
from outlive.model.findings import EndedBy, Fact, Finding, Remedy, size
from outlive.units.unit import cause


@cause(
    "D102",
    since="0.1",
    needs=("oom counters", "kernel log"),
    searched=(
        "Out of memory: Killed process (python)",
        "python invoked oom-killer",
        "Killed",
        "exit code 137",
        "tensorflow kernel died",
    ),
)
def machine_out_of_memory(evidence: Evidence) -> Iterator[Finding]:
    """The machine ran out of memory, and Linux killed this program to free some.

    ## What happened
    No limit of a cgroup was reached: there was no memory left on the machine. Linux then kills the process that frees
    the most, which need not be the one that took the last of it: another program may have used most of the memory.

    ## How we know
    The kernel log says that it killed this process for the whole machine ("global_oom"), or its kill counter rose as the
    program died while no cgroup was at its limit.

    ## What to do
    Look at what else was running. Use less at once, add swap, or give the program a limit of its own, so that it cannot
    take the memory of others.
    """
    kill = evidence.memory.oom_kill()
    if kill is None or not kill.whole_machine:
        return
    facts = [
        *evidence.run.because(OOM_KILLS_ON_THE_MACHINE, MACHINE_MEMORY, MACHINE_MEMORY_AVAILABLE)
    ]
    if kill.line is not None:
        facts.append(Fact("kernel log", kill.line.text, "/dev/kmsg", private=True))
    facts += evidence.run.because(PEAK_MEMORY, LAST_LINE_SEEN, RUN_TIME)
    facts += evidence.growth.facts_of_the_last_look()
    total, peak = evidence.run.fact(MACHINE_MEMORY), evidence.run.fact(PEAK_MEMORY)
    of = f" ({size(total)})" if isinstance(total, int) else ""
    used = f"; the program had used up to {size(peak)}" if isinstance(peak, int) else ""
    by_others = evidence.memory.filled_by_others()
    growth = evidence.growth.own
    yield Finding(
        f"Linux killed the program: the machine ran out of memory{of}{used}.",
        tuple(facts),
        kill.confidence,
        (
            Remedy("See what else uses memory on this machine.", ("ps aux --sort=-rss | head",)),
            Remedy("Keep less in memory at once, or use a machine with more."),
        ),
        where=(growth.place if growth else evidence.run.busy) if by_others is None else None,
        by=EndedBy.KERNEL_OOM,
    )
