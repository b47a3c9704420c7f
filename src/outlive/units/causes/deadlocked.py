"""Threads that wait for each other."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.findings import Confidence, Finding, Remedy
from outlive.model.waits import Standstill, Waiting
from outlive.units.unit import cause


@cause(
    "D705",
    since="0.2",
    needs=("stacks", "waits"),
    behind=(
        "waiting-forever", "interrupted", "terminated-by-process", "killed-by-process", "uncaught-exception", "exited-by-program", "exited-without-cleanup",
    ),
    searched=(
        'tensorflow training hangs',
        'python threads deadlock waiting for lock',
        'program freezes without error python',
    ),
)  # fmt: skip
def deadlocked(evidence: Evidence) -> Iterator[Finding]:
    """Threads wait for each other, so none of them will ever continue.

    ## What happened
    Each of these stops a program forever. One thread holds a lock and wants a second one, whose holder wants the first.
    A thread takes a lock that it already holds (an `RLock` allows that, a `Lock` does not). A thread holds a lock while
    it joins a thread that wants that lock. A task of a pool waits for another task that finds no free worker. The
    program waits for a child to end, and the child waits until somebody reads its output. `Queue.join` waits for a
    worker's `task_done`, while the worker waits for the next item. A lock is taken and never released. The program then
    uses no CPU time, and prints nothing.

    ## How we know
    The program made no progress: almost no CPU time, no I/O, the same stacks. The stack of each thread was read: its
    line says which lock it is waiting for, the code around that line says which locks it holds, and an `RLock` knows
    its owner. The chain of who waits for whom is a circle.

    ## What to do
    Take locks in the same order everywhere; hold them for a few lines only, never while waiting for a thread, a queue
    or a result. Take them with `with`, which releases them, instead of calling `release`.
    """
    stuck = evidence.waits.stuck
    if stuck is None:
        return
    ways = (_in_a_circle, _in_join_of_a_queue, _for_a_lock_never_released)
    first = next((finding for way in ways for finding in way(evidence, stuck)), None)
    if first is not None:
        yield first


def _in_a_circle(evidence: Evidence, stuck: Standstill) -> Iterator[Finding]:
    """Tell of threads whose waiting leads back to where it began."""
    cycle = stuck.cycle()
    if not cycle:
        return
    first = cycle[0]
    sure = Confidence.PROVEN if stuck.is_sure(cycle) else Confidence.LIKELY
    peer = next((other for other in cycle[1:] if other.at_a_pipe), None)
    if first.in_its_own_pool:
        says = f"{first.who} is waiting for {first.what}, a task that has not started: it runs in the same pool, and no other thread of the pool is free to start it."
        remedy = "Do not wait for a task inside a task of the same pool: use a second pool."
    elif peer is not None:
        says = f"{first.who} is waiting for {first.what}, and process {peer.pid} is waiting for {peer.what}: that is this program."
        remedy = "Read its output before waiting for it to end: communicate() instead of wait() for a program, get() before join() for a worker with a queue."
        sure = Confidence.LIKELY  # somebody whom we do not know may hold that end too
    elif len(cycle) == 1:
        says = f"{first.who} is waiting for {first.what}, which it already holds: it was acquired twice."
        remedy = "Make it a threading.RLock (asyncio has none), or call the inner function without acquiring the lock again."
    else:
        says = _of_each_other(evidence, stuck, cycle)
        remedy = "Acquire the locks in the same order in every thread, or hold only one at a time."
    yield Finding(says, evidence.waits.facts_of(*cycle), sure, (Remedy(remedy),), where=first.place)


def _of_each_other(evidence: Evidence, stuck: Standstill, cycle: tuple[Waiting, ...]) -> str:
    """Say which threads or tasks form the circle, and what the first of them wants."""
    first = cycle[0]
    names = " → ".join(
        thread.stack.thread
        if thread.pid == evidence.run.program.pid
        else f"{thread.stack.thread} of process {thread.pid}"
        for thread in (*cycle, first)
    )
    return (
        f"{len(cycle)} {'tasks' if first.task else 'threads'} wait for each other ({names}): {first.who[0].lower()}{first.who[1:]} is waiting for "
        f"{first.what} and holds {stuck.held_in(cycle)}."
    )


def _in_join_of_a_queue(evidence: Evidence, stuck: Standstill) -> Iterator[Finding]:
    """Tell of a queue whose items were all taken, and not all reported as done."""
    for joined, worker in stuck.joined_queue():
        yield Finding(
            f"{joined.who} is waiting for {joined.what}, and the thread that takes its items is waiting for the next one: "
            f"task_done was not called often enough.",
            evidence.waits.facts_of(joined, worker),
            Confidence.LIKELY,
            (Remedy("Call task_done once for every get, in a finally block."),),
            where=joined.place,
        )


def _for_a_lock_never_released(evidence: Evidence, stuck: Standstill) -> Iterator[Finding]:
    """Tell of a lock whose holder is idle or gone."""
    for waiting in stuck.unreturned():
        if waiting.pid in stuck.forked and stuck.forked[waiting.pid].threads:
            continue
        owner = next(iter(stuck.holders(waiting)), None)
        idle = f" (its owner, {owner.stack.thread}, is idle)" if owner else ""
        yield Finding(
            f"{waiting.who} is waiting for {waiting.what}, which was acquired and never released{idle}.",
            evidence.waits.facts_of(waiting, *([owner] if owner else [])),
            Confidence.LIKELY,
            (
                Remedy(
                    "Use `with`: an exception between acquire and release leaves it locked forever."
                ),
            ),
            where=waiting.place,
        )
