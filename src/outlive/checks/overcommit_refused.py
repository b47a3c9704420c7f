"""A kernel that does not lend memory."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model import Finding, Remedy, size
from outlive.surroundings import Surroundings
from outlive.unit import check

STRICT = 2

#: TensorFlow reserves several gigabytes of address space that it never touches.
RESERVED_BYTES = 4_000_000_000


@check("H203", since="0.2", prevents=("allocation-refused",))
def overcommit_refused(here: Surroundings) -> Iterator[Finding]:
    """The kernel refuses memory that is asked for and not yet used.

    ## Why it matters
    With `vm.overcommit_memory = 2` every reservation counts in full. TensorFlow, its allocator and its threads reserve far more than
    they touch; `fork` counts everything twice. Allocations fail with "Cannot allocate memory" while most memory is free.

    ## What to do
    Set the mode back to 0, the kernel's default, or raise `vm.overcommit_ratio`.
    """
    mode = here.number("overcommit mode")
    limit, committed = here.number("commit limit"), here.number("memory committed")
    if mode is None:
        yield here.unknown("overcommit mode")
    elif mode != STRICT:
        yield here.fine("The kernel lends memory as usual.", "overcommit mode")
    else:
        remedies = (
            Remedy("Use the kernel's default mode.", ("sudo sysctl vm.overcommit_memory=0",)),
        )
        room = None if limit is None or committed is None else max(0.0, limit - committed)
        answer = here.will_fail if room is not None and room < RESERVED_BYTES else here.warning
        told = f", and {size(room)} can still be reserved" if room is not None else ""
        yield answer(
            f"The kernel counts every reservation in full (mode 2){told}.",
            "overcommit mode", "commit limit", "memory committed", remedies=remedies,
        )  # fmt: skip
