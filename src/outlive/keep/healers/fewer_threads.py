"""Libraries are told to start fewer threads."""

from __future__ import annotations

from outlive.keep.healing import Case, Change

SLUGS = ("too-many-threads",)

FEW = "2"
NAMES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "TF_NUM_INTRAOP_THREADS",
    "TF_NUM_INTEROP_THREADS",
)


#: Of threads that no code of Python's runs: with fewer than this nothing would be won.
WORTH_IT = 8


def heal(case: Case) -> Change | str:
    """What the program itself starts stays as it is."""
    threads = case.evidence.circumstances.threads
    if threads is not None and threads.count - threads.python < WORTH_IT:
        return (
            f"{threads.python} of its {threads.count} threads are started by the program's own code"
        )
    return Change(
        "fewer threads",
        f"TensorFlow and the libraries of linear algebra start {FEW} threads each.",
        variables=dict.fromkeys(NAMES, FEW),
    )
