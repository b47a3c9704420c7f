"""One request for memory was too large."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import (
    MACHINE_MEMORY,
    MACHINE_MEMORY_AVAILABLE,
    MEMORY_LIMIT,
    PEAK_MEMORY,
)
from outlive.model.findings import Fact, Finding, Remedy, size
from outlive.units.unit import cause


@cause(
    "D104",
    since="0.1",
    behind=("uncaught-exception", "exited-by-program"),
    searched=(
        "MemoryError: Unable to allocate",
        "ResourceExhaustedError: OOM when allocating tensor with shape",
        "terminate called after throwing an instance of 'std::bad_alloc'",
        "Allocation of exceeds 10% of free system memory",
    ),
)
def allocation_refused(evidence: Evidence) -> Iterator[Finding]:
    """One request for memory was too large and was refused.

    ## What happened
    The program asked for a block of memory that the system refused: one array or tensor with a shape or dtype that
    nobody intended, or a size computed from bad data. Unlike a kill by Linux, this is an error that the program sees:
    `MemoryError`, `ResourceExhaustedError`, or `std::bad_alloc` in native code.

    ## How we know
    The exception that ended the program says so, or the native runtime's last words name `std::bad_alloc`.

    ## What to do
    Look at the shape: a missing division, an id used as a size, a one-hot or `eye` over raw ids, `float64` where `float32` would
    do. Load or compute in parts.
    """
    refused = evidence.memory.refused()
    if refused is None:
        return
    wanted = f" of {size(refused.bytes)}" if refused.bytes else ""
    shape = f" for {refused.what}" if refused.what else ""
    total = evidence.run.fact(MACHINE_MEMORY)
    against = (
        f"; this machine has {size(total)}" if isinstance(total, int) and refused.bytes else ""
    )
    yield Finding(
        f"A memory allocation{wanted}{shape} was refused{against}.",
        (
            Fact("refused", refused.text[:300], refused.source),
            *evidence.run.because(
                MACHINE_MEMORY, MACHINE_MEMORY_AVAILABLE, MEMORY_LIMIT, PEAK_MEMORY
            ),
        ),
        evidence.errors.sure_of_fatal,
        (
            Remedy(
                "Check the shape and dtype this line asks for; if they are intended, process the data in parts."
            ),
        ),
        where=refused.where or evidence.run.busy,
    )
