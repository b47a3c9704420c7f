"""Threads that wait for each other."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, Finding, Remedy
from outlive.unit import cause


@cause(
    "D705",
    since="0.2",
    needs=("stacks", "waits"),
    behind=(
        "waiting-forever", "interrupted", "terminated-by-process", "killed-by-process", "uncaught-exception",
    ),
    searched=(
        'tensorflow training hangs',
        'python threads deadlock waiting for lock',
        'program freezes without error python',
    ),
)  # fmt: skip
def deadlocked(evidence: Evidence) -> Iterator[Finding]:
    """Threads wait for each other, so none of them will ever go on.

    ## What happened
    One thread holds a lock and wants another one, whose holder wants the first; or a thread takes a lock that it already holds
    (`threading.Lock` may not be taken twice, an `RLock` may); or a thread holds a lock while it waits for the end of a thread that
    wants that lock; or a task of a pool waits for another one that finds no free thread; or the program waits for the end of another
    one that waits until somebody reads its output; or `Queue.join` waits for a worker to say `task_done`, which waits for the next item; or a lock was taken and
    never given back. The program uses no CPU time and stands there until somebody ends it.

    ## How we know
    The program made no progress: no CPU time but a trickle, no data moved, the same stacks. Each thread was asked where it stands;
    its line tells which lock it waits for, the code around its lines which ones it holds, and an `RLock` knows its owner. The
    waiting leads back to where it began.

    ## What to do
    Take locks in the same order everywhere; hold them for a few lines only, never while waiting for a thread, a queue or a result.
    Give them back by `with`, not by `release`.
    """
    stuck = evidence.stuck
    if stuck is None:
        return
    cycle = stuck.cycle()
    if cycle:
        first = cycle[0]
        sure = Confidence.PROVEN if stuck.is_sure(cycle) else Confidence.LIKELY
        if first.in_its_own_pool:
            yield Finding(
                f"{first.who} waits for {first.what}, a task that has not begun: it is itself a task of that pool, and "
                f"no other thread of the pool is free to begin it.",
                evidence.facts_of_waiting(*cycle),
                sure,
                (
                    Remedy(
                        "Do not wait for a task inside a task of the same pool: use a second pool."
                    ),
                ),
                where=first.place,
            )
            return
        for other in cycle[1:]:
            if other.at_a_pipe:
                yield Finding(
                    f"{first.who} waits for {first.what}, and process {other.pid} waits for {other.what}: that would have "
                    f"to be this program.",
                    evidence.facts_of_waiting(*cycle),
                    Confidence.LIKELY,  # somebody whom we do not know may hold that end too
                    (
                        Remedy(
                            "Read what it writes before you wait for its end: communicate() instead of wait() for a "
                            "program, get() before join() for a worker with a queue."
                        ),
                    ),
                    where=first.place,
                )
                return
        if len(cycle) == 1:
            yield Finding(
                f"{first.who} waits for {first.what}, which it already holds: it was taken twice.",
                evidence.facts_of_waiting(*cycle),
                sure,
                (
                    Remedy(
                        "Make it a threading.RLock (asyncio has none), or call the inner function without taking the lock again."
                    ),
                ),
                where=first.place,
            )
            return
        names = " → ".join(
            thread.stack.thread
            if thread.pid == evidence.program.pid
            else f"{thread.stack.thread} of process {thread.pid}"
            for thread in (*cycle, first)
        )
        yield Finding(
            f"{len(cycle)} {'tasks' if first.task else 'threads'} wait for each other ({names}): {first.who[0].lower()}{first.who[1:]} waits for "
            f"{first.what} and holds what the next one waits for.",
            evidence.facts_of_waiting(*cycle),
            sure,
            (
                Remedy(
                    "Take the locks in the same order in every thread, or hold only one of them at a time."
                ),
            ),
            where=first.place,
        )
        return
    for joined, worker in stuck.joined_queue():
        yield Finding(
            f"{joined.who} waits for {joined.what}, and the thread that takes its items waits for the next one: "
            f"task_done was called too rarely.",
            evidence.facts_of_waiting(joined, worker),
            Confidence.LIKELY,
            (Remedy("Call task_done once for every get, in a finally."),),
            where=joined.place,
        )
        return
    for waiting in stuck.unreturned():
        if waiting.pid in stuck.forked and stuck.forked[waiting.pid].threads:
            continue
        owner = next(iter(stuck.holders(waiting)), None)
        idle = f" (its owner, {owner.stack.thread}, has nothing to do)" if owner else ""
        yield Finding(
            f"{waiting.who} waits for {waiting.what}, which somebody took and never gave back{idle}.",
            evidence.facts_of_waiting(waiting, *([owner] if owner else [])),
            Confidence.LIKELY,
            (
                Remedy(
                    "Take it by `with`: an exception between acquire and release leaves it taken for ever."
                ),
            ),
            where=waiting.place,
        )
        return
