"""A limit on what may be mapped."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.fact_names import (
    ADDRESS_SPACE_LIMIT,
    MEMORY_MAPPED_BY_IMPORTING_TENSORFLOW,
    FactName,
)
from outlive.model.findings import Fact, Finding, Remedy, size
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check


@check("H405", since="0.2", needs=("python", "imports"), prevents=("address-space-limit",))
def address_space_limited(here: Surroundings) -> Iterator[Finding]:
    """A limit on address space counts memory that is reserved and never used.

    ## Why it matters
    `ulimit -v` bounds what a program may *map*. TensorFlow maps its libraries, a stack for each thread and a heap for each arena: several
    gigabytes that it hardly touches. Under such a limit the import fails, or the first large tensor, while memory is free.

    ## What to do
    Lift it, and bound memory with a cgroup instead, which counts what is used.
    """
    limit = here.number(ADDRESS_SPACE_LIMIT)
    if limit is None:
        yield here.fine("No address space limit.")
        return
    trial = here.python.trials.get("tensorflow") if here.python else None
    mapped = trial.answers.get("peak address space") if trial else None
    facts: list[FactName | Fact] = [ADDRESS_SPACE_LIMIT]
    told = ""
    if isinstance(mapped, int):
        facts.append(
            Fact(MEMORY_MAPPED_BY_IMPORTING_TENSORFLOW, mapped, "a child process that imported it")
        )
        told = f", and importing TensorFlow maps {size(mapped)}"
    yield here.warning(
        f"The address space is limited to {size(limit)}{told}.",
        *facts,
        remedies=(
            Remedy(
                "Remove the limit, and limit actual memory instead.",
                (
                    "ulimit -v unlimited",
                    "systemd-run --user --scope -p MemoryMax=… python train.py",
                ),
            ),
        ),
    )
