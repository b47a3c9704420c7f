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


def heal(case: Case) -> Change:
    """What the program itself starts stays as it is."""
    return Change(
        "fewer threads",
        f"TensorFlow and the libraries of linear algebra start {FEW} threads each.",
        variables=dict.fromkeys(NAMES, FEW),
    )
