"""A queue in which who fills it waits for who empties it."""

from __future__ import annotations

import ast

from outlive.model.patch import Answer, Patch
from outlive.source.fix_case import FixCase
from outlive.units.unit import fix

#: So many items hide the time that one of them takes, and no more than that.
ITEMS = 8
QUEUES = frozenset({"queue.Queue", "queue.LifoQueue", "queue.PriorityQueue", "multiprocessing.Queue", "asyncio.Queue"})  # fmt: skip


@fix("F130", since="0.2", heals=("kept-in-container",))
def queue_bounded(case: FixCase) -> Answer:
    """The queue holds a few items; who fills it waits until there is room.

    ## What it changes
    `Queue()` becomes `Queue(maxsize=8)` where it is made.

    ## When it is offered
    What is kept lies in a queue, and the file makes one queue without a bound.

    ## What becomes of the results
    They stay the same. Where one thread both fills and empties it, it would wait for itself: that is seen when the patch is tried.
    """
    holders = [one for held in case.evidence.growth.holders.values() for one in held]
    if not any(one.kind == "queue" and case.finding.says.startswith(one.kept) for one in holders):
        return None
    made = [
        call
        for call in case.source.tree.every(ast.Call)
        if isinstance(call, ast.Call) and case.source.called(call.func) in QUEUES
    ]
    unbounded = [call for call in made if not call.args and not call.keywords]
    if len(unbounded) != 1:
        return "the file does not make one queue without a bound"
    written = case.source.segment(unbounded[0].func)
    return Patch(
        f"Let the queue hold {ITEMS} items: who fills it waits for who empties it.",
        (case.replaced(unbounded[0], f"{written}(maxsize={ITEMS})"),),
    )
