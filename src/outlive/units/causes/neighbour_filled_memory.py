"""Another process filled the memory that the program shares with it."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import MEMORY_LIMIT, RUN_TIME, in_bytes
from outlive.model.findings import Confidence, EndedBy, Fact, Finding, Remedy, size
from outlive.units.unit import cause

GROWN_BY_ALL = in_bytes("memory filled last, by all processes")
GROWN_BY_THE_PROGRAM = in_bytes("of that, by the program and its workers")
OWN_MEMORY = in_bytes("memory of the program and its workers")

SAMPLED = "/proc/PID/stat, sampled until the kill"


@cause(
    "D107",
    since="0.2",
    needs=("oom counters", "kernel log"),
    behind=(
        "memory-limit-reached",
        "machine-out-of-memory",
        "worker-out-of-memory",
        "uncaught-exception",
        "exited-by-program",
        "background-error-lost",
        "waiting-forever",
    ),
    searched=(
        "notebook kernel killed by another notebook's memory",
        "idle process OOM killed in container",
        "OOM killer killed the wrong process",
        "exit code 137",
    ),
)
def neighbour_filled_memory(evidence: Evidence) -> Iterator[Finding]:
    """Another process under the same memory limit filled it, and Linux killed this program.

    ## What happened
    A memory limit belongs to a group of processes: a container with several notebooks, a pod with a sidecar, a batch job with more than one
    step, a machine. When it is full, Linux kills the process that frees the most, which need not be the one that took the last of it.
    This program had held its memory for a while and was killed because a neighbour grew.

    ## How we know
    The memory of the program and of its workers was flat while the last part of the limit was filled. The other processes of the group
    were read as well: those that are named grew by most of it. Where nobody was seen to grow (a process outside this container, files
    in `/dev/shm`) it is only *possible*.

    ## What to do
    Look at the named process first: this program needs no change. Give each its own limit (one container or cgroup each, `systemd-run --scope
    -p MemoryMax=…`), end idle notebooks, or raise the limit that they share.
    """
    memory = evidence.memory
    rise = memory.filled_by_others()
    worker = memory.worker_kill() if evidence.children.may_be_why else None
    if rise is None or not (memory.out_of_memory() or worker):
        return
    kill = memory.oom_kill()
    whole = "machine's memory" if kill and kill.whole_machine else "memory limit"
    flat = (
        f"the program{' and its workers' if worker else ''} held {size(rise.own_bytes)} and hardly grew "
        f"({size(max(0, rise.own_grown_bytes))} of the last {size(rise.grown_bytes)})"
    )
    facts = (
        *(
            Fact(
                f"process {one.pid}",
                f"{one.line}: {size(one.bytes)}, grown by {size(one.grown_bytes)}",
                SAMPLED,
                private=True,
            )
            for one in (rise.culprits or rise.neighbours)[:3]
        ),
        Fact(OWN_MEMORY, rise.own_bytes, SAMPLED),
        Fact(GROWN_BY_ALL, rise.grown_bytes, "the cgroup, or the machine"),
        Fact(GROWN_BY_THE_PROGRAM, max(0, rise.own_grown_bytes), SAMPLED),
        *evidence.run.because(MEMORY_LIMIT, RUN_TIME),
    )
    if not rise.culprits:
        yield Finding(
            f"Something else may have filled the {whole} of {size(rise.limit_bytes)}: {flat}, and no other process was seen to grow.",
            facts,
            Confidence.POSSIBLE,
            (
                Remedy("See what else is in this cgroup, and which files are in /dev/shm.", ("df -h /dev/shm",)),
            ),
        )  # fmt: skip
        return
    first = rise.culprits[0]
    more = f" and {len(rise.culprits) - 1} more" if len(rise.culprits) > 1 else ""
    yield Finding(
        f"Another process ({first.words}){more} filled the {whole} of {size(rise.limit_bytes)}: it grew by {size(first.grown_bytes)} to {size(first.bytes)}, "
        f"while {flat}.",
        facts,
        _confidence(evidence),
        (
            Remedy(
                "Look at that process: this program needs no change.",
                (f"ps -o pid,rss,etime,args -p {first.pid}",),
            ),
            Remedy(
                "Give each program a memory limit of its own, so that only the one that grows is killed.",
                ("docker run --memory=…", "systemd-run --scope -p MemoryMax=…"),
            ),
            Remedy("Or raise the limit that they share."),
        ),
        by=EndedBy.KERNEL_OOM if kill is not None else None,
    )


def _confidence(evidence: Evidence) -> Confidence:
    """As sure as the kill itself: that memory ran out must be known before anybody is named for it."""
    memory = evidence.memory
    kill, worker = memory.oom_kill(), memory.worker_kill()
    if kill is not None:
        return kill.confidence
    return worker.confidence if worker is not None else evidence.errors.sure_of_fatal
