"""Too little memory to begin with."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.fact_names import MEMORY_LEFT, MEMORY_LIMIT, MEMORY_USED_BY_IMPORTING_TENSORFLOW
from outlive.model.findings import Fact, Finding, Remedy, size
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check

#: Where it is not measured: `import tensorflow` (2.21, CPU) was killed in a cgroup of 180 MB and lived in one of 220 MB.
IMPORT_BYTES = 200_000_000

#: A small model, its batches and a pipeline need at least twice as much again.
WORKING_TIMES = 3


@check(
    "H202",
    since="0.2",
    needs=("python", "imports"),
    prevents=("memory-limit-reached", "machine-out-of-memory"),
)
def memory_too_small(here: Surroundings) -> Iterator[Finding]:
    """The memory that is left below the limit is hardly enough for TensorFlow itself.

    ## Why it matters
    The limit is the smallest of every cgroup above this process (container, job, session, their parents), of the
    resource limits and of the machine. Importing TensorFlow alone takes about 200 MB of its own. Where little more is
    left, the program is "Killed" at the first batch.

    ## What to do
    Raise the limit, end what else runs in it, or use a smaller runtime for inference (LiteRT runs the same network in a sixth to a ninth of the memory).
    """
    left, limit = here.number(MEMORY_LEFT), here.number(MEMORY_LIMIT)
    if left is None or limit is None:
        yield here.unknown(MEMORY_LEFT, MEMORY_LIMIT)
        return
    trial = here.python.trials.get("tensorflow") if here.python else None
    measured = trial.answers.get("own memory") if trial else None
    needs = measured if isinstance(measured, int) else IMPORT_BYTES
    source = (
        "a child process that imported it"
        if isinstance(measured, int)
        else "TensorFlow 2.21 elsewhere"
    )
    fact = Fact(MEMORY_USED_BY_IMPORTING_TENSORFLOW, needs, source)
    told = f"{size(left)} of {size(limit)} are left"
    raise_it = (
        Remedy(
            "Raise the limit.",
            ("docker run --memory=…", "sbatch --mem=…", "systemd-run --scope -p MemoryMax=…"),
        ),
    )
    if left < needs and not (trial and trial.lived):
        yield here.will_fail(
            f"{told}, and importing TensorFlow alone takes {size(needs)}.",
            fact, MEMORY_LIMIT, MEMORY_LEFT, remedies=raise_it,
        )  # fmt: skip
    elif left < WORKING_TIMES * needs:
        yield here.warning(
            f"{told}; TensorFlow itself takes {size(needs)} of it.",
            fact, MEMORY_LIMIT, MEMORY_LEFT, remedies=raise_it,
        )  # fmt: skip
    else:
        yield here.fine(f"{told}.", MEMORY_LIMIT, MEMORY_LEFT, fact)
