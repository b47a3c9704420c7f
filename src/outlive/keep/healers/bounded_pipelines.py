"""A tf.data pipeline that does not fit is fitted to the memory there is."""

from __future__ import annotations

from outlive.keep.healing import Case, Change

SLUGS = (
    "shuffle-buffer-too-large",
    "prefetch-too-deep",
    "cache-in-memory",
    "parallel-map-too-wide",
)


def heal(case: Case) -> Change:
    """Same elements, same order; only the window of a shuffle may become smaller, and that is said when it does."""
    return Change(
        "bounded pipelines",
        "the program's tf.data pipelines are fitted to the memory there is (--bound).",
        switches=("--bound",),
    )
