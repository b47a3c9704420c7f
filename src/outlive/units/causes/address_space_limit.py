"""The limit on the address space (ulimit -v) refused memory."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import ADDRESS_SPACE, ADDRESS_SPACE_LIMIT, MACHINE_MEMORY, PEAK_MEMORY
from outlive.model.findings import Confidence, Fact, Finding, Remedy, size
from outlive.units.unit import cause


@cause(
    "D103",
    since="0.1",
    behind=(
        "allocation-refused",
        "shared-library-missing",
        "uncaught-exception",
        "exited-by-program",
    ),
    searched=(
        "MemoryError with ulimit -v",
        "RLIMIT_AS MemoryError python",
        "failed to map segment from shared object: Cannot allocate memory",
    ),
)
def address_space_limit(evidence: Evidence) -> Iterator[Finding]:
    """The limit on the program's address space (`ulimit -v`, RLIMIT_AS) was reached.

    ## What happened
    Batch systems and shells can limit the address space of a process. It counts everything that is mapped, used or not:
    TensorFlow alone maps several gigabytes. Past the limit every request for memory fails, as `MemoryError`, as
    `ResourceExhaustedError`, as `std::bad_alloc`, as a thread that cannot be started, or as a library that cannot be mapped.

    ## How we know
    The process had such a limit, a request for memory was refused, and what was mapped plus what was asked for exceeds the limit.

    ## What to do
    Raise the limit or drop it, and limit real memory instead (a cgroup): address space costs nothing by itself.
    """
    limit = evidence.run.fact(ADDRESS_SPACE_LIMIT)
    refused = (
        evidence.memory.refused()
        or evidence.memory.refused_stack()
        or evidence.memory.refused_library()
    )
    if not isinstance(limit, int) or refused is None:
        return
    seen = evidence.run.fact(ADDRESS_SPACE)
    threads = evidence.circumstances.threads
    mapped = max(
        [sample.vm_bytes for sample in evidence.run.samples]
        + [seen if isinstance(seen, int) else 0, threads.mapped_bytes if threads else 0]
    )
    asked = refused.bytes or 0
    if asked and mapped + asked <= limit:
        return
    machine = evidence.run.fact(MACHINE_MEMORY)
    hopeless = isinstance(machine, int) and asked > machine
    sure = Confidence.PROVEN if asked and not hopeless else Confidence.LIKELY
    wanted = f" and {size(asked)} more were requested" if asked else ""
    yield Finding(
        f"The address space is limited to {size(limit)}; {size(mapped)} were already mapped{wanted}.",
        (
            *evidence.run.because(ADDRESS_SPACE_LIMIT, ADDRESS_SPACE, PEAK_MEMORY),
            Fact("refused", refused.text[:300], refused.source),
        ),
        sure,
        (
            Remedy("Remove the limit for this program.", ("ulimit -v unlimited",)),
            Remedy(
                "To limit real memory, use a cgroup.",
                ("systemd-run --scope -p MemoryMax=… …",),
            ),
        ),
        where=refused.where or evidence.run.busy,
    )
