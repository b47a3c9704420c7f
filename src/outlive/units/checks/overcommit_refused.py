"""A kernel that does not lend memory."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.fact_names import COMMIT_LIMIT, MEMORY_COMMITTED, OVERCOMMIT_MODE
from outlive.model.findings import Finding, Remedy, size
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check

STRICT = 2

#: TensorFlow reserves several gigabytes of address space that it never touches.
RESERVED_BYTES = 4_000_000_000


@check("H203", since="0.2", prevents=("allocation-refused",))
def overcommit_refused(here: Surroundings) -> Iterator[Finding]:
    """Linux refuses memory that is requested but not yet used.

    ## Why it matters
    With `vm.overcommit_memory = 2` every reservation counts in full. TensorFlow, its allocator and its threads reserve far more than
    they touch; `fork` counts everything twice. Allocations fail with "Cannot allocate memory" while most memory is free.

    ## What to do
    Set the mode back to 0, the default, or raise `vm.overcommit_ratio`.
    """
    mode = here.number(OVERCOMMIT_MODE)
    limit, committed = here.number(COMMIT_LIMIT), here.number(MEMORY_COMMITTED)
    if mode is None:
        yield here.unknown(OVERCOMMIT_MODE)
    elif mode != STRICT:
        yield here.fine("Linux overcommits memory as usual.", OVERCOMMIT_MODE)
    else:
        remedies = (Remedy("Use the default mode.", ("sudo sysctl vm.overcommit_memory=0",)),)
        room = None if limit is None or committed is None else max(0.0, limit - committed)
        answer = here.will_fail if room is not None and room < RESERVED_BYTES else here.warning
        told = f", and {size(room)} can still be reserved" if room is not None else ""
        yield answer(
            f"Linux counts every reservation in full (overcommit mode 2){told}.",
            OVERCOMMIT_MODE, COMMIT_LIMIT, MEMORY_COMMITTED, remedies=remedies,
        )  # fmt: skip
