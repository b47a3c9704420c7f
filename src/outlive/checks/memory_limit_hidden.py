"""A limit that tf.data does not see."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model import Fact, Finding, Remedy, size
from outlive.surroundings import Surroundings
from outlive.unit import check

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
    of a container, a batch job or a session is not read. Inside a small one on a large machine the buffers outgrow the limit, and the
    kernel ends the program without a message.

    ## What to do
    Give AUTOTUNE the true number and let it begin small: `options.autotune.ram_budget`, `options.autotune.initial_parallelism = 1`.
    It bounds what AUTOTUNE chooses, not a fixed `shuffle`, `prefetch` or `cache`.
    """
    free, left = here.number("machine memory free"), here.number("memory left")
    if free is None or left is None:
        yield here.unknown("machine memory free", "memory left")
        return
    budget = round(AUTOTUNE_SHARE * free)
    fact = Fact("AUTOTUNE will use at most, in bytes", budget, "0.5 × free memory of the machine")
    if budget <= left:
        yield here.fine(
            f"AUTOTUNE may take {size(budget)} and {size(left)} are left below the limit.",
            fact, "memory limit", "memory left", "machine memory free",
        )  # fmt: skip
        return
    yield here.warning(
        f"AUTOTUNE may take {size(budget)} for buffers where {size(left)} are left; give it at most {size(left / 2)}.",
        fact, "memory limit", "memory left", "machine memory free",
        remedies=(
            Remedy(
                "Give the pipeline the true number.",
                (
                    f"options = tf.data.Options(); options.autotune.ram_budget = {left / 2:.0f}",
                    "options.autotune.initial_parallelism = 1; dataset = dataset.with_options(options)",
                ),
            ),
        ),
    )  # fmt: skip
