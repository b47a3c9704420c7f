"""A fork copies the locks, but not the threads that would open them."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import THREADS_OF_THE_PARENT_AT_THE_FORK
from outlive.model.findings import Confidence, Fact, Finding, Remedy
from outlive.units.unit import cause


@cause(
    "D704",
    since="0.2",
    needs=("stacks", "waits"),
    behind=(
        "waiting-forever", "deadlocked", "interrupted", "terminated-by-process", "killed-by-process",
        "uncaught-exception", "exited-by-program", "exited-without-cleanup",
    ),
    searched=(
        'tensorflow multiprocessing hangs',
        'This process is multi-threaded, use of fork() may lead to deadlocks in the child',
        'os.fork() is incompatible with multithreaded code',
        'model.predict hangs in child process',
        'tensorflow training hangs',
    ),
)  # fmt: skip
def forked_after_threads(evidence: Evidence) -> Iterator[Finding]:
    """A worker was forked from a process with threads, and hangs on a lock that one of them held.

    ## What happened
    `fork` copies the memory of a process, locked locks included, but only the thread that calls it. A lock that another thread held
    at that moment stays locked in the child forever. TensorFlow starts many threads with its first operation: a child that is
    forked after that must not use it. On Linux `multiprocessing` forks by default (until Python 3.14).

    ## How we know
    The child recorded how many threads its parent had when it was forked; now it waits for a lock that no thread in it
    holds, or inside TensorFlow, or inside other native code (OpenMP, a BLAS, PyTorch, JAX) without a single thread
    beside it, and nothing in it moves. It is proven when the child has no thread that could ever wake it: none of
    TensorFlow's, or the lock is held by a thread that only the parent has.

    ## What to do
    Start workers before TensorFlow is used, or with "spawn", so that each one starts in a new process.
    """
    stuck = evidence.waits.stuck
    if stuck is None:
        return
    for thread in stuck.left_behind():
        fork = stuck.forked[thread.pid]
        others = "".join(f", among them {name}" for name in fork.others[:1])
        waits = "inside native code" if thread.in_native_code else f"for {thread.what}"
        yield Finding(
            f"A worker process ({thread.pid}) is waiting {waits}. It was forked while its parent had "
            f"{fork.threads} more threads{others}; they do not exist in the worker, so nothing wakes it.",
            (
                Fact(THREADS_OF_THE_PARENT_AT_THE_FORK, fork.threads, "/proc/self/task"),
                *(
                    Fact("thread that was left behind", name, "seen at the fork", private=True)
                    for name in fork.others[:3]
                ),
                *evidence.waits.facts_of(thread),
            ),
            Confidence.PROVEN if stuck.is_lost(thread) else Confidence.LIKELY,
            (
                Remedy(
                    "Start the workers with spawn, or before the first thread starts and TensorFlow is used.",
                    ('multiprocessing.set_start_method("spawn")',),
                ),
            ),
            where=thread.place,
        )
        return
