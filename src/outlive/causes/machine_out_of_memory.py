"""The whole machine ran out of memory."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import EndedBy, Fact, Finding, Remedy, size
from outlive.unit import cause


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
    """The machine ran out of memory, and the kernel killed this program to get some back.

    ## What happened
    No limit of a control group was reached: there was no memory left on the machine. The kernel then kills the process that
    frees the most, which need not be the one that took the last of it. Another program may have been the greedy one.

    ## How we know
    The kernel's log says that it killed this process for the whole machine ("global_oom"), or its kill counter rose as the
    program died while no control group was at its limit.

    ## What to do
    Look at what else was running. Use less at once, add swap, or give the program a limit of its own, so that it is the only one
    to suffer.
    """
    kill = evidence.oom_kill()
    if kill is None or not kill.whole_machine:
        return
    facts = [
        *evidence.because(
            "kernel's kills on the machine", "machine memory", "machine memory available"
        )
    ]
    if kill.line is not None:
        facts.append(Fact("kernel log", kill.line.text, "/dev/kmsg", private=True))
    facts += evidence.because("peak memory", "last line seen", "run time")
    facts += evidence.facts_of_the_last_look()
    total, peak = evidence.fact("machine memory"), evidence.fact("peak memory")
    of = f" of {size(total)}" if isinstance(total, int) else ""
    used = f"; the program had used up to {size(peak)}" if isinstance(peak, int) else ""
    growth = evidence.growth
    yield Finding(
        f"The machine's memory{of} was exhausted and the kernel killed the program{used}.",
        tuple(facts),
        kill.confidence,
        (
            Remedy(
                "See what else used the memory of this machine.", ("ps aux --sort=-rss | head",)
            ),
            Remedy("Keep less in memory at once, or run it where there is more."),
        ),
        where=growth.place if growth else evidence.busy,
        by=EndedBy.KERNEL_OOM,
    )
