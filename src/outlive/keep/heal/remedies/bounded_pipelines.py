"""A tf.data pipeline that does not fit is fitted to the memory there is."""

from __future__ import annotations

from outlive.model.heal_case import Case, Change
from outlive.units.unit import remedy


@remedy(
    "T101",
    since="0.2",
    heals=(
        "shuffle-buffer-too-large",
        "prefetch-too-deep",
        "cache-in-memory",
        "parallel-map-too-wide",
    ),
    searched=("bounded pipelines",),
)
def bounded_pipelines(case: Case) -> Change:
    """The program's tf.data pipelines are sized to the available memory.

    ## What changes
    The next attempt runs with `--bound`: `shuffle`, `prefetch`, `cache`, parallel maps and AUTOTUNE get as much memory as fits. Elements
    and their order stay the same; only the window of a shuffle may become smaller, and a line on stderr says so when it does.

    ## When it is tried
    After a death that is proven to come from a stage of a pipeline that held too much.

    ## When it is not
    It is always tried, but only once.
    """
    return Change(
        "bounded pipelines",
        "the program's tf.data pipelines are sized to the available memory (--bound).",
        switches=("--bound",),
    )
