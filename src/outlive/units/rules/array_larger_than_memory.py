"""One array or tensor that does not fit."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.fact_names import MEMORY_LIMIT
from outlive.model.findings import Fact, Finding, Remedy, size
from outlive.source.parsed import Source
from outlive.units.unit import rule


@rule(
    "R604",
    since="0.2",
    prevents=("memory-limit-reached", "allocation-refused", "machine-out-of-memory"),
)
def array_larger_than_memory(source: Source) -> Iterator[Finding]:
    """One array or tensor is larger than the available memory.

    ## Why it is bad
    The program is killed at this line, or gets `MemoryError`. The size written in the code is compared with the memory
    of the machine that `outlive lint` runs on, with its cgroup's limit, or with the size given for another machine
    (`--memory 8GB`).

    ## Bad
        features = np.zeros((400000, 224, 224, 3), dtype=np.float32)

    ## Good
        features = np.zeros((400, 224, 224, 3), dtype=np.float32)
    """
    memory = source.machine.memory_bytes
    if memory is None:
        return
    for call in source.every(ast.Call):
        spec = source.specs.of(call)
        needed = spec.bytes if spec is not None else 0
        arguments = [source.specs.of(word) for word in call.args[:1]]
        if spec is None or needed <= memory or spec in arguments:
            continue  # what only hands on a large array is not who makes it
        yield Finding(
            f"This {spec.dtype} array of {spec} takes {size(needed)}; there are {size(memory)}.",
            (Fact(MEMORY_LIMIT, memory, "outlive lint"),),
            remedies=(
                Remedy(
                    "Work on parts of it: read from disk (np.load(mmap_mode='r'), tf.data) and keep one batch at a time."
                ),
            ),
            where=source.place(call),
        )
    for node, total, largest in source.heavy_models():
        if total > memory:
            yield Finding(
                f"The weights of this model take {size(total)} (the largest: {largest}); there are {size(memory)}.",
                (Fact(MEMORY_LIMIT, memory, "outlive lint"),),
                remedies=(
                    Remedy(
                        "Make it smaller before the dense layers: pooling (GlobalAveragePooling2D) instead of Flatten, fewer units."
                    ),
                ),
                where=source.place(node),
            )
