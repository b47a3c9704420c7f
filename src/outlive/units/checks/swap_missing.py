"""Nothing to fall back on."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.fact_names import (
    MACHINE_MEMORY,
    MACHINE_MEMORY_AVAILABLE,
    MEMORY_LIMIT,
    SWAP_SIZE,
)
from outlive.model.findings import Finding, Remedy, size
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check

#: A machine with this much memory available can do without.
LITTLE_BYTES = 4_000_000_000


@check("H204", since="0.2", prevents=("machine-out-of-memory",))
def swap_missing(here: Surroundings) -> Iterator[Finding]:
    """The machine has little memory available and no swap to fall back on.

    ## Why it matters
    Without swap a short peak (a checkpoint, a large picture) kills the program at once; with swap it would only have
    been slow for a second. With much memory, or inside a container whose limit is reached first, swap makes no
    difference.

    ## What to do
    Add some swap, or make the peaks smaller.
    """
    swap, available = here.number(SWAP_SIZE), here.number(MACHINE_MEMORY_AVAILABLE)
    limit, total = here.number(MEMORY_LIMIT), here.number(MACHINE_MEMORY)
    if swap is None or available is None:
        yield here.unknown(SWAP_SIZE, MACHINE_MEMORY_AVAILABLE)
    elif swap == 0 and available < LITTLE_BYTES and limit is not None and limit == total:
        yield here.warning(
            f"{size(available)} are available and there is no swap.",
            SWAP_SIZE,
            MACHINE_MEMORY_AVAILABLE,
            remedies=(
                Remedy(
                    "Add swap.",
                    ("sudo fallocate -l 4G /swapfile && sudo chmod 600 /swapfile && sudo mkswap /swapfile && sudo swapon /swapfile",),
                ),
            ),
        )  # fmt: skip
    else:
        told = f"{size(swap)} of swap" if swap else "No swap, and none is needed here"
        yield here.fine(f"{told}.", SWAP_SIZE, MACHINE_MEMORY_AVAILABLE)
