"""As many threads as there are items."""

from __future__ import annotations

import math
from collections.abc import Iterator

from outlive.model.findings import Confidence, Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

#: A container often allows some hundred, and TensorFlow takes two for each core.
MOST_THREADS = 100
WAITING = ("join", "acquire", "get", "wait")


@rule("R408", since="0.1", needs=("Thread",), prevents=("too-many-threads", "memory-limit-reached"))
def thread_for_each_item(source: Source) -> Iterator[Finding]:
    """A loop starts a thread for every item.

    ## Why it is bad
    Threads count against the limit of processes of the user and of the container, and each takes a stack. With enough items the next one cannot be started:
    "can't start new thread", in your code or, without a message, in TensorFlow's.

    ## Bad
        for number in range(5000):
            threading.Thread(target=download, args=(number,)).start()

    ## Good
        with concurrent.futures.ThreadPoolExecutor(16) as executor:
            done = list(executor.map(download, range(5000)))
    """
    for call in source.calls("threading.Thread"):
        turns = source.turns(call)
        loops = source.loops(call)
        if turns < MOST_THREADS or not loops:
            continue
        inner = {id(node) for node in source.tree.inside(loops[0], type(call))}
        if any(id(wait) in inner for wait in source.methods(*WAITING)):
            continue  # it waits for one of them before it starts the next
        known = turns < math.inf
        yield Finding(
            f"A thread is started for each of {turns:.0f} items."
            if known
            else "A thread is started for every item of this loop.",
            confidence=Confidence.LIKELY if known else Confidence.POSSIBLE,
            remedies=(Remedy("Use a pool: concurrent.futures.ThreadPoolExecutor(16).map(…)."),),
            where=source.place(call),
        )
