"""Little free space in /dev/shm."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.fact_names import FREE_SPACE_IN_DEV_SHM, SIZE_OF_DEV_SHM
from outlive.model.findings import Fact, Finding, Remedy, size
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check

#: Docker gives 64 MB by default.
SMALL_BYTES = 500_000_000


@check("H206", since="0.2", prevents=("shared-memory-full",))
def shared_memory_small(here: Surroundings) -> Iterator[Finding]:
    """There is little shared memory (`/dev/shm`).

    ## Why it matters
    Worker processes hand arrays to each other through `/dev/shm`. Docker gives a container 64 MB of it. When it is full, the writing process is killed by SIGBUS ("Bus error"), or gets "No space left on device".

    ## What to do
    Start the container with more, or let the workers use another way.
    """
    room = next((room for room in here.rooms if room.purpose == "shared memory"), None)
    more = (Remedy("Start the container with more.", ("docker run --shm-size=2g …",)),)
    if room is None or (room.why_not and room.why_not != "it does not exist"):
        why = room.why_not if room else "it was not checked"
        yield here.unsure(f"Could not check the size of /dev/shm: {why}.")
        return
    if room.why_not:
        yield here.warning(
            "There is no /dev/shm: shared memory between processes will fail.", remedies=more
        )
        return
    fact = Fact(FREE_SPACE_IN_DEV_SHM, room.free_bytes, "statvfs /dev/shm")
    if room.free_bytes is not None and room.free_bytes < SMALL_BYTES:
        yield here.warning(
            f"{size(room.free_bytes)} are free in /dev/shm: two workers that share pictures fill it.",
            fact, Fact(SIZE_OF_DEV_SHM, room.total_bytes, "statvfs /dev/shm"), remedies=more,
        )  # fmt: skip
    else:
        yield here.fine(f"{size(room.free_bytes or 0)} are free in /dev/shm.", fact)
