"""Libraries are told to start fewer threads."""

from __future__ import annotations

from outlive.model.heal_case import Case, Change
from outlive.units.unit import remedy

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


@remedy("T103", since="0.2", heals=("too-many-threads",), searched=("fewer threads",))
def fewer_threads(case: Case) -> Change | str:
    """TensorFlow and the linear algebra libraries start fewer threads.

    ## What changes
    The variables that these libraries read (`OMP_NUM_THREADS`, `TF_NUM_INTRAOP_THREADS` and their like) are set to 2 for the next
    attempt. What the program itself starts stays as it is.

    ## When it is tried
    After a death that is proven to come from a thread that could not be started.

    ## When it is not
    Nearly all threads were started by the program's own code: then fewer library threads would not help.
    """
    threads = case.evidence.circumstances.threads
    if threads is not None and threads.count - threads.python < WORTH_IT:
        return (
            f"{threads.python} of its {threads.count} threads are started by the program's own code"
        )
    return Change(
        "fewer threads",
        f"TensorFlow and the linear algebra libraries start {FEW} threads each.",
        variables=dict.fromkeys(NAMES, FEW),
    )
