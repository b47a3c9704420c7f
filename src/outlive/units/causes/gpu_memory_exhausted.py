"""The memory of a GPU ran out."""

from __future__ import annotations

import re
from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import GPU_MEMORY, RUN_TIME
from outlive.model.findings import Confidence, Fact, Finding, Remedy
from outlive.model.patterns import bounded
from outlive.units.unit import cause

#: TensorFlow names the device or its allocator; CUDA and PyTorch have words of their own.
ON_GPU = bounded(
    r"OOM when allocating tensor.*?(?:device:GPU:\d+|GPU_\d+_bfc)|CUDA_ERROR_OUT_OF_MEMORY|CUDA out of memory"
    r"|CUDA runtime implicit initialization on GPU:\d+ failed\. Status: out of memory|RESOURCE_EXHAUSTED: .*?GPU_\d+_bfc"
    r"|hipErrorOutOfMemory",
    re.DOTALL,
)
#: Libraries that could not get their workspace: mostly for want of memory.
WORKSPACE = re.compile(r"CUDNN_STATUS_ALLOC_FAILED|CUBLAS_STATUS_ALLOC_FAILED|CUFFT_ALLOC_FAILED")
TENSOR = bounded(r"shape\s?\[([\d,]*)\] and type (\w+)")
DEVICE = bounded(r"GPU[:_](\d+)")


@cause(
    "D106",
    since="0.2",
    behind=("allocation-refused", "uncaught-exception", "exited-by-program"),
    searched=(
        "CUDA_ERROR_OUT_OF_MEMORY: out of memory",
        "ResourceExhaustedError: OOM when allocating tensor with shape",
        "Allocator (GPU_0_bfc) ran out of memory trying to allocate",
        "tensorflow takes all GPU memory",
    ),
)
def gpu_memory_exhausted(evidence: Evidence) -> Iterator[Finding]:
    """The memory of a GPU ran out.

    ## What happened
    A tensor, or the workspace of cuDNN or cuBLAS, did not fit into what was left of the GPU's memory. TensorFlow takes
    nearly all of it at the start, so a second program on the same GPU finds none.

    ## How we know
    The exception that ended the program names the device or its allocator, or has CUDA's own error.

    ## What to do
    Use a smaller batch or smaller pictures, `mixed_float16`, or put less of the model on the GPU. `nvidia-smi` shows
    who else uses it. Let TensorFlow take memory as it is needed: `TF_FORCE_GPU_ALLOW_GROWTH=true`.
    """
    found = evidence.errors.like(ON_GPU)
    workspace = None if found else evidence.errors.like(WORKSPACE)
    if found is None and workspace is None:
        return
    error, sure = found or (workspace[0], Confidence.LIKELY)  # type: ignore[index]  # one of them is there
    tensor, device = TENSOR.search(error.message), DEVICE.search(error.message)
    what = f" for a tensor of shape [{tensor[1]}] and type {tensor[2]}" if tensor else ""
    card = f" of GPU {device[1]}" if device else " of the GPU"
    yield Finding(
        f"The memory{card} ran out{what}.",
        (
            Fact("refused", error.words, "exception"),
            *evidence.run.because(GPU_MEMORY, RUN_TIME),
        ),
        sure,
        (
            Remedy("Use a smaller batch, smaller pictures, or `mixed_float16`."),
            Remedy("See who else is using the GPU.", ("nvidia-smi",)),
            Remedy(
                "Let TensorFlow allocate memory as needed.",
                ("export TF_FORCE_GPU_ALLOW_GROWTH=true",),
            ),
        ),
        where=evidence.errors.line_of(error),
    )
