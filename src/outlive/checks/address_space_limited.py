"""A limit on what may be mapped."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model import Fact, Finding, Remedy, size
from outlive.surroundings import Surroundings
from outlive.unit import check


@check("H405", since="0.2", needs=("python", "imports"), prevents=("address-space-limit",))
def address_space_limited(here: Surroundings) -> Iterator[Finding]:
    """A limit on address space counts memory that is reserved and never used.

    ## Why it matters
    `ulimit -v` bounds what a program may *map*. TensorFlow maps its libraries, a stack for each thread and a heap for each arena: several
    gigabytes that it hardly touches. Under such a limit the import fails, or the first large tensor, while memory is free.

    ## What to do
    Lift it, and bound memory with a control group instead, which counts what is used.
    """
    limit = here.number("address space limit")
    if limit is None:
        yield here.fine("No limit on address space.")
        return
    trial = here.python.trials.get("tensorflow") if here.python else None
    mapped = trial.answers.get("peak address space") if trial else None
    facts: list[str | Fact] = ["address space limit"]
    told = ""
    if isinstance(mapped, int):
        facts.append(
            Fact("memory mapped by the import of TensorFlow", mapped, "a child that imported it")
        )
        told = f", and importing TensorFlow maps {size(mapped)}"
    yield here.warning(
        f"Only {size(limit)} may be mapped{told}.",
        *facts,
        remedies=(
            Remedy(
                "Lift it, and bound what is used instead.",
                (
                    "ulimit -v unlimited",
                    "systemd-run --user --scope -p MemoryMax=… python train.py",
                ),
            ),
        ),
    )
