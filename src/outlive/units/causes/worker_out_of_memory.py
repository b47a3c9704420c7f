"""A worker process was killed, not the program itself."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import MEMORY_LIMIT, OOM_KILLS_IN_THE_CGROUP, PROCESSES
from outlive.model.findings import Confidence, EndedBy, Fact, Finding, Remedy, size
from outlive.units.unit import cause

#: Of the growth: one line of the worker did it, and fewer workers would not help.
NEARLY_ALL = 0.9


@cause(
    "D105",
    since="0.1",
    needs=("oom counters", "kernel log"),
    behind=(
        "uncaught-exception",
        "exited-by-program",
        "waiting-forever",
        "background-error-lost",
        "killed-by-process",
    ),
    searched=(
        "BrokenProcessPool: A process in the process pool was terminated abruptly",
        "multiprocessing worker killed, program continues",
        "multiprocessing Pool hangs after worker is killed",
        "exit code 137",
    ),
)
def worker_out_of_memory(evidence: Evidence) -> Iterator[Finding]:
    """A worker process of the program ran out of memory and was killed by Linux; the program itself was not.

    ## What happened
    A child (a `multiprocessing` worker, a process pool, a subprocess) used so much memory that Linux killed it. The parent survives: it may fail with `BrokenProcessPool`, wait forever for a result that never comes, or continue without it.

    ## How we know
    The kernel log names the child, or its parent saw it end by SIGKILL without having sent it while the cgroup's count of
    kills rose.

    ## What to do
    Use fewer workers, or give each less to hold: their number multiplies the memory. Send file names to workers, not
    arrays.
    """
    kill = evidence.memory.worker_kill()
    if kill is None:
        return
    sure, named, unasked = kill.confidence, kill.lines, kill.deaths
    if not evidence.children.may_be_why:
        sure = Confidence.POSSIBLE  # it happened, but something else ended the program
    pid = named[-1].pid if named else unasked[-1].pid
    child = next((child for child in unasked if child.pid == pid), unasked[-1] if unasked else None)
    growth = evidence.growth.lines.get(pid) if evidence.memory.filled_by_others() is None else None
    facts = [Fact("kernel log", line.text, "/dev/kmsg", private=True) for line in named[-1:]]
    if child is not None:
        facts.append(
            Fact("worker", f"{child.name or 'process'} {child.pid}: {child.signal}", "its parent")
        )
    limit = evidence.run.fact(MEMORY_LIMIT)
    at = f" at the limit of {size(limit)}" if isinstance(limit, int) else ""
    count = "A worker process" if kill.count == 1 else f"{kill.count} worker processes"
    yield Finding(
        f"{count} of the program (not the program itself) ran out of memory{at} and was killed by Linux.",
        (*facts, *evidence.run.because(MEMORY_LIMIT, OOM_KILLS_IN_THE_CGROUP, PROCESSES)),
        sure,
        (
            Remedy(
                f"Make less at once on line {growth.place.line} of the worker: in parts, one after the other, or with a narrower type."
                if growth is not None and growth.share >= NEARLY_ALL
                else "Use fewer workers, or keep less in each one."
            ),
        ),
        where=(growth.place if growth else None) or (child.started if child else None),
        by=None if evidence.run.fatal_signal else EndedBy.ITSELF,
    )
