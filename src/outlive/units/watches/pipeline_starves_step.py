"""A pipeline that is slower than what it feeds."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Confidence, Fact, Finding, Remedy
from outlive.model.outlook.window import Window
from outlive.units.unit import watch

#: Of the looks at the main thread: so many at least, this share waiting, in so many separate waits.
FEWEST = 80
WAITING = 0.6
FEWEST_WAITS = 20

#: An older look says nothing of now.
RECENT_SECONDS = 15.0


@watch("W501", since="0.3")
def pipeline_starves_step(window: Window) -> Iterator[Finding]:
    """The loop waits most of its time for the next element of its tf.data pipeline.

    ## What it sees
    The sampled stacks of the main thread over twenty seconds, a few times in a run: how often it was waiting in `next()` of a tf.data iterator. Inside `fit` the wait is part of the
    compiled step and cannot be seen: nothing is said.

    ## When it speaks
    When the main thread waited in at least 60 % of the looks, in many separate waits. A long first wait, in which a shuffle buffer is filled, is one wait.

    ## What to do
    Give the slow `map` of the pipeline `num_parallel_calls=tf.data.AUTOTUNE`, end it with `prefetch(tf.data.AUTOTUNE)`, and cache what does not change.
    """
    lately = [reading.data for reading in window.lately(RECENT_SECONDS) if reading.data]
    data = lately[-1] if lately else None
    if data is None or data.seen < FEWEST or data.waits < FEWEST_WAITS:
        return
    share = data.waiting / data.seen
    if share >= WAITING:
        line = f" ({data.line})" if data.line else ""
        yield Finding(
            f"The step is starved by its input: the loop waited for the next element in {share:.0%} of the last looks{line}.",
            (Fact("looks", f"{data.waiting} of {data.seen}", "stacks of the main thread"),),
            Confidence.PROVEN,
            (
                Remedy(
                    "Let the slow map run in parallel (num_parallel_calls=tf.data.AUTOTUNE) and end the pipeline with prefetch(tf.data.AUTOTUNE)."
                ),
            ),
        )
