"""A GPU that somebody else uses."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.fact_names import (
    GPU_DRIVER,
    GPUS,
    MEMORY_HELD_ON_THE_GPU,
    MEMORY_OF_THE_GPU,
)
from outlive.model.findings import Fact, Finding, Remedy, size
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check

#: Drivers and desktops hold some.
WORTH_SAYING = 0.2


@check("H512", since="0.2", prevents=("gpu-memory-exhausted",))
def gpu_memory_held(here: Surroundings) -> Iterator[Finding]:
    """Other processes hold a large part of a GPU's memory.

    ## Why it matters
    TensorFlow takes nearly all of a GPU's memory when it starts. If another process (often a forgotten notebook) holds
    it, the first operation fails: "failed to allocate", CUDA_ERROR_OUT_OF_MEMORY, or cuDNN that cannot be initialised.

    ## What to do
    End the other process, choose another GPU (`CUDA_VISIBLE_DEVICES`), or let TensorFlow take memory as it needs it.
    """
    if not here.gpus:
        if here.text(GPU_DRIVER) is not None:
            yield here.unknown(GPUS)
        else:
            yield here.fine("No GPU.")
        return
    for number, gpu in enumerate(here.gpus):
        if gpu.used_bytes is None or not gpu.total_bytes:
            yield here.unsure(f"The driver does not report memory use of GPU {number}.")
            continue
        facts = (
            Fact(MEMORY_OF_THE_GPU, gpu.total_bytes, "nvidia-smi"),
            Fact(MEMORY_HELD_ON_THE_GPU, gpu.used_bytes, "nvidia-smi"),
            *(Fact("held by", holder, "nvidia-smi", private=True) for holder in gpu.holders),
        )
        told = f"{size(gpu.used_bytes)} of {size(gpu.total_bytes)} on GPU {number} ({gpu.name})"
        if gpu.used_bytes > WORTH_SAYING * gpu.total_bytes:
            yield here.warning(
                f"{told} are held by other processes.",
                *facts,
                remedies=(
                    Remedy("See which, and stop what is not needed.", ("nvidia-smi",)),
                    Remedy("Or allocate memory as needed.", ("export TF_FORCE_GPU_ALLOW_GROWTH=true",)),
                ),
            )  # fmt: skip
        else:
            yield here.fine(f"{told} are in use.", *facts)
