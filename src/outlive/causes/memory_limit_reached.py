"""The control group's limit was reached."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import EndedBy, Fact, Finding, Remedy, size
from outlive.unit import cause

REMEDIES = (
    Remedy("Keep less in memory at once: see what the named line makes, and what keeps it."),
    Remedy(
        "Or raise the limit, if the work needs it.",
        ("docker run --memory=…", "sbatch --mem=…", "systemd-run --scope -p MemoryMax=…"),
    ),
)


@cause(
    "D101",
    since="0.1",
    needs=("oom counters", "kernel log"),
    behind=("uncaught-exception",),
    searched=(
        "OOMKilled",
        "Memory cgroup out of memory: Killed process",
        "slurmstepd: error: Detected 1 oom_kill event",
        "Killed",
        "exit code 137",
        "tensorflow kernel died",
    ),
)
def memory_limit_reached(evidence: Evidence) -> Iterator[Finding]:
    """The program needed more memory than its control group (container, job, session) may use.

    ## What happened
    A control group has a memory limit: the `--memory` of a container, the request of a batch job, the slice of a login session.
    When the group reaches it, the kernel picks a process in it and kills it at once, with SIGKILL. No exception, no message, no
    cleanup: a shell prints "Killed", a notebook says that its kernel has died, Docker shows exit code 137. The machine may have
    plenty of memory left.

    ## How we know
    The kernel counts its kills in every control group (`oom_kill`) and writes them into its log with the number of the process.
    The count of this program's group rose as it died, or the log names it. The line is the one that was running while memory grew.
    With `outlive run --brake` the kernel does not come to it: the program ended by the brake's exception, which names both figures.

    ## What to do
    Keep less at once: smaller batches, results written to disk instead of kept, `float32` instead of `float64`, bounded
    `prefetch` and `shuffle`. Or raise the limit, if the work really needs more.
    """
    kill = evidence.oom_kill()
    stop = evidence.braked()
    if stop is not None:
        yield Finding(
            "The brake stopped the program near its memory limit, before the kernel would have killed it.",
            (
                Fact("brake", stop.message[:300], "the program"),
                *evidence.because("memory limit", "machine memory", "peak memory", "run time"),
            ),
            evidence.sure_of_fatal_error,
            REMEDIES,
            where=evidence.growing_line(evidence.program.pid) or stop.own,
        )
        return
    if kill is None or kill.whole_machine:
        return
    facts = [
        *evidence.because("memory limit", "memory used in the group", "kernel's kills in the group")
    ]
    if kill.line is not None:
        facts.append(Fact("kernel log", kill.line.text, "/dev/kmsg", private=True))
    facts += evidence.because("peak memory", "last line seen", "run time")
    limit = (
        size(kill.group.limit_bytes) if kill.group and kill.group.limit_bytes else "unknown size"
    )
    growth = evidence.growth
    facts += evidence.facts_of_the_last_look()
    says = (
        f"The kernel killed the program when its control group reached the memory limit of {limit}"
    )
    where = evidence.growing_line(evidence.program.pid)
    if growth is not None and growth.unseen_after is not None:
        says += f"; memory grew by {size(growth.grown_bytes)} in one call that let nobody look, after {growth.unseen_after}"
    elif growth is not None:
        says += f"; memory grew by {size(growth.grown_bytes)} while {where} was running"
    if growth is not None and growth.unseen_after is None and where == growth.place:
        facts.append(
            Fact("share of the growth on this line", f"{growth.share:.0%}", "stacks, ten a second")
        )
    yield Finding(
        f"{says}.",
        tuple(facts),
        kill.confidence,
        REMEDIES,
        where=where,
        by=EndedBy.KERNEL_OOM,
    )
