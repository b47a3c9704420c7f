"""A fork copies the locks, but not the threads that would open them."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, Fact, Finding, Remedy
from outlive.unit import cause


@cause(
    "D704",
    since="0.2",
    needs=("stacks", "waits"),
    behind=(
        "waiting-forever", "deadlocked", "interrupted", "terminated-by-process", "killed-by-process",
        "uncaught-exception",
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
    at that moment stays locked in the child for ever. TensorFlow starts many threads with its first operation: a child that is
    forked after that must not use it. On Linux `multiprocessing` forks by default (until Python 3.14).

    ## How we know
    The child told how many threads its parent had when it was forked; now it waits for a lock that no thread in it holds, or inside
    TensorFlow, and nothing in it moves. It is proven when the child has no thread that could ever wake it: none of TensorFlow's, or the lock
    is held by a thread that only the parent has.

    ## What to do
    Start workers before TensorFlow is used, or by "spawn": then each begins afresh.
    """
    stuck = evidence.stuck
    if stuck is None:
        return
    for thread in stuck.left_behind():
        fork = stuck.forked[thread.pid]
        others = "".join(f", among them {name}" for name in fork.others[:1])
        yield Finding(
            f"A worker process ({thread.pid}) that was forked while its parent had {fork.threads} more threads{others} "
            f"waits for {thread.what}: the thread that would have to go on does not exist in it.",
            (
                Fact("threads of the parent at the fork", fork.threads, "/proc/self/task"),
                *(
                    Fact("thread that was left behind", name, "seen at the fork", private=True)
                    for name in fork.others[:3]
                ),
                *evidence.facts_of_waiting(thread),
            ),
            Confidence.PROVEN if stuck.is_lost(thread) else Confidence.LIKELY,
            (
                Remedy(
                    "Start the workers by spawn, or before the first thread is started and TensorFlow is used.",
                    ('multiprocessing.set_start_method("spawn")',),
                ),
            ),
            where=thread.place,
        )
        return
