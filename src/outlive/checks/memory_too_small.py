"""Too little memory to begin with."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model import Fact, Finding, Remedy, size
from outlive.surroundings import Surroundings
from outlive.unit import check

#: Where it is not measured: `import tensorflow` (2.21, CPU) was killed in a control group of 180 MB and lived in one of 220 MB.
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
    """What is left of the memory limit hardly holds TensorFlow itself.

    ## Why it matters
    The limit is the smallest of every control group above this process (container, job, session, their parents), of the resource
    limits and of the machine. Importing TensorFlow alone takes about 200 MB of its own. Where little more is left, the first batch ends
    the program with "Killed".

    ## What to do
    Raise the limit, end what else runs in it, or use a smaller runtime for inference (LiteRT runs the same network in a sixth to a ninth of the memory).
    """
    left, limit = here.number("memory left"), here.number("memory limit")
    if left is None or limit is None:
        yield here.unknown("memory left", "memory limit")
        return
    trial = here.python.trials.get("tensorflow") if here.python else None
    measured = trial.answers.get("own memory") if trial else None
    needs = measured if isinstance(measured, int) else IMPORT_BYTES
    source = (
        "a child that imported it" if isinstance(measured, int) else "TensorFlow 2.21 elsewhere"
    )
    fact = Fact("memory for the import of TensorFlow", needs, source)
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
            fact, "memory limit", "memory left", remedies=raise_it,
        )  # fmt: skip
    elif left < WORKING_TIMES * needs:
        yield here.warning(
            f"{told}; TensorFlow itself takes {size(needs)} of it.",
            fact, "memory limit", "memory left", remedies=raise_it,
        )  # fmt: skip
    else:
        yield here.fine(f"{told}.", "memory limit", "memory left", fact)
