"""Few threads may be started."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.fact_names import (
    CPUS_ALLOWED,
    PROCESSES_LIMIT,
    TASKS_LIMIT,
    TASKS_NOW,
    THREADS_OF_THIS_USER,
    THREADS_TENSORFLOW_STARTS_ESTIMATE,
    USER,
)
from outlive.model.findings import Fact, Finding, Remedy
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check

#: Measured: TensorFlow 2.21 while Keras trains on a parallel pipeline had 6 threads on one processor and 9 on two.
THREADS_PER_CPU = 3
THREADS_BESIDE = 3

#: Workers, a second model or a data service start as many again.
PLENTY_TIMES = 4
ROOT = 0


@check("H402", since="0.2", prevents=("too-many-threads",))
def threads_limit_low(here: Surroundings) -> Iterator[Finding]:
    """The limit on threads is lower than what TensorFlow and its pipeline start.

    ## Why it matters
    TensorFlow starts several threads for each CPU; so do NumPy's BLAS and OpenMP. A container's `--pids-limit`, or
    `ulimit -u`, counts threads of *all* programs in it. When it is reached, the program ends with "Resource temporarily
    unavailable", "can't start new thread" or a failed check in the middle of TensorFlow.

    ## What to do
    Raise the limit, or start fewer threads.
    """
    cpus = here.number(CPUS_ALLOWED)
    if cpus is None:
        yield here.unknown(CPUS_ALLOWED)
        return
    needs = round(THREADS_PER_CPU * cpus + THREADS_BESIDE)
    fact = Fact(THREADS_TENSORFLOW_STARTS_ESTIMATE, needs, "3 × CPUs + 3")
    rooms = [
        (most - now, name)
        for name, most, now in (
            (TASKS_LIMIT, here.number(TASKS_LIMIT), here.number(TASKS_NOW)),
            (PROCESSES_LIMIT, _of_user(here), here.number(THREADS_OF_THIS_USER)),
        )
        if most is not None and now is not None
    ]
    if not rooms:
        yield here.fine("No thread limit is near.", PROCESSES_LIMIT, fact)
        return
    room, name = min(rooms)
    facts = (name, TASKS_NOW if name == TASKS_LIMIT else THREADS_OF_THIS_USER, fact)
    if room >= PLENTY_TIMES * needs:
        yield here.fine(f"{room:.0f} more threads may be started.", *facts)
        return
    answer = here.will_fail if room < needs else here.warning
    command = "docker run --pids-limit=-1 …" if name == TASKS_LIMIT else "ulimit -u 65536"
    yield answer(
        f"Only {max(0, room):.0f} more threads may be started; TensorFlow alone starts about {needs}.",
        *facts,
        remedies=(
            Remedy("Raise the limit.", (command,)),
            Remedy("Or start fewer threads.", ("export TF_NUM_INTRAOP_THREADS=1 TF_NUM_INTEROP_THREADS=1 OMP_NUM_THREADS=1",)),
        ),
    )  # fmt: skip


def _of_user(here: Surroundings) -> float | None:
    """``ulimit -u`` does not count for root."""
    return None if here.number(USER) == ROOT else here.number(PROCESSES_LIMIT)
