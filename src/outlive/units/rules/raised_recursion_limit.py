"""A recursion limit beyond the stack."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

#: With a stack of 8 MB, a call through C code (a `__call__` of Keras, a `map`) takes about half a kilobyte and more.
HIGHEST = 10_000


@rule(
    "R504",
    since="0.1",
    needs=("setrecursionlimit",),
    prevents=("stack-overflow", "recursion-too-deep"),
)
def raised_recursion_limit(source: Source) -> Iterator[Finding]:
    """The recursion limit is raised beyond what the stack can carry.

    ## Why it is bad
    The limit is there so that Python stops before the stack does. If it is raised to a hundred thousand, an endless
    recursion ends with a segmentation fault that names no line, instead of a `RecursionError` that does.

    ## Bad
        sys.setrecursionlimit(100_000)

    ## Good
        sys.setrecursionlimit(3_000)
    """
    for call in source.calls("sys.setrecursionlimit"):
        limit = source.number(source.argument(call, 0))
        if limit is not None and limit > HIGHEST:
            yield Finding(
                f"The recursion limit is raised to {limit:.0f}: the stack overflows before that.",
                remedies=(
                    Remedy("Keep the default, and turn the recursion into a loop with a list."),
                    Remedy(
                        "Or do the deep work in a thread with a larger stack: threading.stack_size(512 << 20)."
                    ),
                ),
                where=source.place(call),
            )
