"""The cgroup's limit was reached."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import (
    LAST_LINE_SEEN,
    MACHINE_MEMORY,
    MEMORY_LIMIT,
    MEMORY_USED_IN_THE_CGROUP,
    OOM_KILLS_IN_THE_CGROUP,
    PEAK_MEMORY,
    RUN_TIME,
)
from outlive.model.findings import EndedBy, Fact, Finding, Place, Remedy, size
from outlive.units.memory_advice import advice_for
from outlive.units.unit import cause

#: Of the growth: a line that was there for less of it is told with its share.
NEARLY_ALL = 0.95

KEEP_LESS = Remedy(
    "Keep less in memory at once: see what the named line creates, and what holds on to it."
)
RAISE = Remedy(
    "Or raise the limit, if the work needs it.",
    ("docker run --memory=…", "sbatch --mem=…", "systemd-run --scope -p MemoryMax=…"),
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
    """The program needed more memory than its cgroup (container, job, session) may use.

    ## What happened
    A cgroup has a memory limit: the `--memory` of a container, the request of a batch job, the slice of a login session.
    When the cgroup reaches it, Linux picks a process in it and kills it at once, with SIGKILL. No exception, no message, no
    cleanup: a shell prints "Killed", a notebook says that its kernel has died, Docker shows exit code 137. The machine may have
    plenty of memory left.

    ## How we know
    Linux counts its kills in every cgroup (`oom_kill`) and writes them into its log with the number of the process.
    The count of this program's group rose as it died, or the log names it. The line is the one that was running while memory grew.
    With `outlive run --brake` it does not come to that: the program ends with the brake's exception, which names both figures.

    ## What to do
    Keep less at once: smaller batches, results written to disk instead of kept, `float32` instead of `float64`, bounded
    `prefetch` and `shuffle`. Or raise the limit, if the work really needs more.
    """
    kill = evidence.memory.oom_kill()
    stop = evidence.memory.braked()
    if stop is not None:
        yield Finding(
            "The brake stopped the program near its memory limit, before Linux would have killed it.",
            (
                Fact("brake", stop.message[:300], "the program"),
                *evidence.run.because(MEMORY_LIMIT, MACHINE_MEMORY, PEAK_MEMORY, RUN_TIME),
            ),
            evidence.errors.sure_of_fatal,
            _remedies(evidence, evidence.growth.growing_line(evidence.run.program.pid)),
            where=evidence.growth.growing_line(evidence.run.program.pid) or stop.own
            if evidence.memory.filled_by_others() is None
            else None,
        )
        return
    if kill is None or kill.whole_machine:
        return
    facts = [
        *evidence.run.because(MEMORY_LIMIT, MEMORY_USED_IN_THE_CGROUP, OOM_KILLS_IN_THE_CGROUP)
    ]
    if kill.line is not None:
        facts.append(Fact("kernel log", kill.line.text, "/dev/kmsg", private=True))
    facts += evidence.run.because(PEAK_MEMORY, LAST_LINE_SEEN, RUN_TIME)
    limit = (
        size(kill.group.limit_bytes) if kill.group and kill.group.limit_bytes else "unknown size"
    )
    by_others = evidence.memory.filled_by_others()
    growth = evidence.growth.own if by_others is None else None
    facts += evidence.growth.facts_of_the_last_look()
    says = f"Linux killed the program when its cgroup reached the memory limit of {limit}"
    where = evidence.growth.growing_line(evidence.run.program.pid)
    if by_others is not None:
        # Where a neighbour was seen, no line of the program took it; else it may have written files that lie in memory.
        where = None if by_others.culprits else evidence.run.busy
        says += f"; the program held {size(by_others.own_bytes)} of it and hardly grew"
    if growth is not None and growth.unseen_after is not None:
        says += f"; memory grew by {size(growth.grown_bytes)} in one call that could not be sampled, after {growth.unseen_after}"
    elif growth is not None:
        says += f"; memory grew by {size(growth.grown_bytes)}"
        if where == growth.place:
            part = "" if growth.share >= NEARLY_ALL else f", {growth.share:.0%} of it"
            says += f"{part} while {where} was running"
    making = evidence.growth.making(where)
    most = kill.group.limit_bytes if kill.group and kill.group.limit_bytes else None
    huge = making.larger_than(most) if making is not None and most else None
    if huge is not None:
        says += f"; it fills `{huge.name}` ({huge.words}), which takes {size(huge.bytes)} when it is full"
        where = huge.made
    elif making is not None and making.says:
        unseen = growth is not None and growth.unseen_after is not None
        says += f"; line {making.place.line} {making.says}" if unseen else f", which {making.says}"
    if growth is not None and growth.unseen_after is None and where == growth.place:
        facts.append(
            Fact(
                "share of the growth on this line",
                f"{growth.share:.0%}",
                "stacks, sampled ten times a second",
            )
        )
    yield Finding(
        f"{says}.",
        tuple(facts),
        kill.confidence,
        _remedies(evidence, where),
        where=where,
        by=EndedBy.KERNEL_OOM,
    )


def _remedies(evidence: Evidence, where: Place | None) -> tuple[Remedy, ...]:
    """Say what to change in the line that grew, where it is known what that makes or calls."""
    known = evidence.growth.remedies(where)
    making = evidence.growth.making(where)
    told = making is not None and bool(making.change)
    called = advice_for(where.code) if where is not None and not told else ""
    advice = (Remedy(called),) if called else ()
    return (*(advice + known or (KEEP_LESS,)), RAISE)
