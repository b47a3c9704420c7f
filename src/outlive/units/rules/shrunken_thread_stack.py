"""Threads with a small stack."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy, size
from outlive.source.parsed import Source
from outlive.units.unit import rule

#: TensorFlow's tracing and XLA go deep; below this they have been seen to run out.
SMALLEST_BYTES = 1_000_000


@rule(
    "R407",
    since="0.1",
    needs=("stack_size",),
    prevents=("thread-stack-too-small", "stack-overflow"),
)
def shrunken_thread_stack(source: Source) -> Iterator[Finding]:
    """Threads are given a stack that is too small for TensorFlow.

    ## Why it is bad
    Tracing a function or compiling with XLA goes hundreds of calls deep. In a thread with a stack of some hundred kilobytes that is a segmentation fault
    without a message.

    ## Bad
        threading.stack_size(128 * 1024)

    ## Good
        threading.stack_size(16 * 1024 * 1024)
    """
    for call in source.calls("threading.stack_size", "_thread.stack_size"):
        wanted = source.number(source.argument(call, 0, "size"))
        if wanted is not None and 0 < wanted < SMALLEST_BYTES:
            yield Finding(
                f"Threads get a stack of {size(wanted)}, which TensorFlow can exceed.",
                remedies=(Remedy("Leave the default (8 MB), or ask for 16 MB."),),
                where=source.place(call),
            )
