"""GPU memory that will be full."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Confidence, Fact, Finding, Remedy, size
from outlive.model.outlook.forecast import about, filling
from outlive.model.outlook.window import Window
from outlive.units.unit import watch


@watch("W102", since="0.3", prevents=("gpu-memory-exhausted",))
def gpu_memory_filling(window: Window) -> Iterator[Finding]:
    """The memory of a GPU grows steadily, and will be full.

    ## What it sees
    Used and total memory of each NVIDIA card that the program uses, read through NVML.

    ## When it speaks
    When it has risen steadily and at least four times as much was added as is left. TensorFlow takes nearly the whole card at its start unless memory growth is on: that is a
    jump, not a rise, and the watch is silent.

    ## What to do
    Use a smaller batch, or find what is kept: tensors in a list live on the card.
    """
    count = len(window.readings[-1].gpus) if window.readings else 0
    for card in range(count):
        mine = [reading for reading in window.readings if len(reading.gpus) == count]
        points = [(reading.at, float(reading.gpus[card][0])) for reading in mine]
        used, total = mine[-1].gpus[card]
        rise = filling(points, total)
        if rise is not None:
            yield Finding(
                f"The memory of a GPU will be full in {about(rise.seconds_to(total - used))} at this rate: {size(used)} of {size(total)} in use.",
                (Fact("added since the rise began", size(rise.grown), "NVML"),),
                Confidence.LIKELY,
                (Remedy("Use a smaller batch, and keep no tensors from step to step."),),
            )
