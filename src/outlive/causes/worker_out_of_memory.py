"""A worker process was killed, not the program itself."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, EndedBy, Fact, Finding, Remedy, size
from outlive.unit import cause


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
        "multiprocessing worker killed, program goes on",
        "multiprocessing Pool hangs after worker is killed",
        "exit code 137",
    ),
)
def worker_out_of_memory(evidence: Evidence) -> Iterator[Finding]:
    """A worker process of the program was killed by the kernel for want of memory; the program itself was not.

    ## What happened
    A child (a `multiprocessing` worker, a process pool, a subprocess) used so much memory that the kernel killed it. The parent
    lives on: it may fail with `BrokenProcessPool`, wait for ever for a result that never comes, or go on without it.

    ## How we know
    The kernel's log names the child, or its parent saw it end by SIGKILL without having sent it while the control group's count of
    kills rose.

    ## What to do
    Use fewer workers, or give each less: memory is multiplied by their number. Send file names to workers, not arrays.
    """
    if evidence.oom_kill() is not None or evidence.coped_with_its_workers:
        return
    named = [line for line in evidence.oom_lines or () if line.pid in evidence.program.family]
    unasked = [
        child
        for child in evidence.children
        if child.signal == "SIGKILL"
        and not child.asked
        and child.pid not in evidence.killed_by_family()
    ]
    counted = sum(group.killed_during_run or 0 for group in evidence.groups[:1])
    if named:
        sure, victims = Confidence.PROVEN, len(named)
    elif evidence.oom_lines is None and unasked and counted:
        sure, victims = Confidence.LIKELY, min(len(unasked), counted)
    else:
        return
    if evidence.fatal_signal and evidence.stuck is None:
        sure = Confidence.POSSIBLE  # it happened, but something else ended the program
    pid = named[-1].pid if named else unasked[-1].pid
    child = next((child for child in unasked if child.pid == pid), unasked[-1] if unasked else None)
    growth = evidence.growths.get(pid)
    facts = [Fact("kernel log", line.text, "/dev/kmsg", private=True) for line in named[-1:]]
    if child is not None:
        facts.append(
            Fact("worker", f"{child.name or 'process'} {child.pid}: {child.signal}", "its parent")
        )
    limit = evidence.fact("memory limit")
    at = f" at the limit of {size(limit)}" if isinstance(limit, int) else ""
    count = "A worker process" if victims == 1 else f"{victims} worker processes"
    yield Finding(
        f"{count} of the program (not the program itself) ran out of memory{at} and the kernel killed it.",
        (*facts, *evidence.because("memory limit", "kernel's kills in the group", "processes")),
        sure,
        (Remedy("Use fewer workers, or give each one less to hold."),),
        where=(growth.place if growth else None) or (child.started if child else None),
        by=None if evidence.fatal_signal else EndedBy.ITSELF,
    )
