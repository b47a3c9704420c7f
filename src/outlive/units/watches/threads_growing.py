"""Threads that grow towards their limit."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Confidence, Fact, Finding, Remedy
from outlive.model.outlook.forecast import about, filling
from outlive.model.outlook.window import Window
from outlive.units.unit import watch


@watch("W401", since="0.3", prevents=("too-many-threads",))
def threads_growing(window: Window) -> Iterator[Finding]:
    """The program starts more and more threads, and will reach the limit.

    ## What it sees
    The threads of the program, and how many it can have: the limit of its cgroups for processes and threads (`pids.max`) and of the machine, with what others use.

    ## When it speaks
    When the number rises steadily and at least four times as many were added as are left. The threads that TensorFlow starts with its first operation are a jump, not a rise.

    ## What to do
    Make pools, executors and sessions once and close them; join threads that were started.
    """
    last = window.readings[-1] if window.readings else None
    if last is None or last.threads is None or last.most_threads is None:
        return
    points = window.series(lambda reading: reading.threads)
    rise = filling(points, last.most_threads)
    if rise is not None:
        left = last.most_threads - last.threads
        yield Finding(
            f"The program has {last.threads} threads and will reach the limit of {last.most_threads} in {about(rise.seconds_to(left))} at this rate.",
            (Fact("threads added", f"{rise.grown:.0f}", "samples of the program"),),
            Confidence.LIKELY,
            (
                Remedy(
                    "Make pools, executors and sessions once, and close or join what was started."
                ),
            ),
        )
