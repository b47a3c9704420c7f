"""A limit that tf.data does not see."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.fact_names import (
    MACHINE_MEMORY_FREE,
    MEMORY_AUTOTUNE_MAY_USE,
    MEMORY_LEFT,
    MEMORY_LIMIT,
)
from outlive.model.findings import Fact, Finding, Remedy, size
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check

#: The share of free memory that tf.data's AUTOTUNE takes for its buffers (TensorFlow 2.21: 0.5 × sysinfo().freeram).
AUTOTUNE_SHARE = 0.5


@check(
    "H201",
    since="0.2",
    prevents=("memory-limit-reached", "prefetch-too-deep", "parallel-map-too-wide"),
)
def memory_limit_hidden(here: Surroundings) -> Iterator[Finding]:
    """AUTOTUNE will size its buffers by the machine's free memory, which is more than this program may use.

    ## Why it matters
    `tf.data.AUTOTUNE` lets prefetch, parallel maps and interleaves grow until they fill half of the *machine's* free memory. The limit
    of a container, a batch job or a session is not read. Inside a small one on a large machine the buffers outgrow the limit, and Linux kills the program without a message.

    ## What to do
    Give AUTOTUNE the actual limit and let it begin small: `options.autotune.ram_budget`,
    `options.autotune.initial_parallelism = 1`. It bounds what AUTOTUNE chooses, not a fixed `shuffle`, `prefetch` or
    `cache`.
    """
    free, left = here.number(MACHINE_MEMORY_FREE), here.number(MEMORY_LEFT)
    if free is None or left is None:
        yield here.unknown(MACHINE_MEMORY_FREE, MEMORY_LEFT)
        return
    budget = round(AUTOTUNE_SHARE * free)
    fact = Fact(MEMORY_AUTOTUNE_MAY_USE, budget, "0.5 × free memory of the machine")
    if budget <= left:
        yield here.fine(
            f"AUTOTUNE may take {size(budget)}; {size(left)} are left below the limit.",
            fact, MEMORY_LIMIT, MEMORY_LEFT, MACHINE_MEMORY_FREE,
        )  # fmt: skip
        return
    yield here.warning(
        f"AUTOTUNE may take {size(budget)} for buffers, but only {size(left)} are left; give it at most {size(left / 2)}.",
        fact, MEMORY_LIMIT, MEMORY_LEFT, MACHINE_MEMORY_FREE,
        remedies=(
            Remedy(
                "Tell the pipeline the actual limit.",
                (
                    f"options = tf.data.Options(); options.autotune.ram_budget = {left / 2:.0f}",
                    "options.autotune.initial_parallelism = 1; dataset = dataset.with_options(options)",
                ),
            ),
        ),
    )  # fmt: skip
