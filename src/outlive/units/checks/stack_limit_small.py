"""The limit on the size of stacks is smaller than usual."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.fact_names import STACK_SIZE_LIMIT
from outlive.model.findings import Finding, Remedy, size
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check

USUAL_BYTES = 8 << 20
HARDLY_ANY_BYTES = 512 << 10


@check("H404", since="0.2", prevents=("stack-overflow", "thread-stack-too-small"))
def stack_limit_small(here: Surroundings) -> Iterator[Finding]:
    """The stack is smaller than usual; deep recursion in native code overflows it.

    ## Why it matters
    The limit is also the size of every new thread's stack. Graph optimisers, regular expressions and deep models
    recurse in native code; at the end of the stack they get SIGSEGV, not a RecursionError.

    ## What to do
    Raise the limit to the usual 8 MB in the shell that starts the program.
    """
    soft = here.number(STACK_SIZE_LIMIT)
    if here.text(STACK_SIZE_LIMIT) == "unlimited":
        yield here.fine("No stack limit.", STACK_SIZE_LIMIT)
    elif soft is None:
        yield here.unknown(STACK_SIZE_LIMIT)
    elif soft < USUAL_BYTES:
        answer = here.will_fail if soft < HARDLY_ANY_BYTES else here.warning
        yield answer(
            f"Stacks are limited to {size(soft)}; {size(USUAL_BYTES)} is usual.",
            STACK_SIZE_LIMIT,
            remedies=(Remedy("Raise the limit.", ("ulimit -s 8192",)),),
        )
    else:
        yield here.fine(f"Stacks may grow to {size(soft)}.", STACK_SIZE_LIMIT)
