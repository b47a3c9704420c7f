"""A large array that is made wide and narrowed at once: for a moment both are there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy, size
from outlive.source.parsed import Source
from outlive.units.unit import rule

#: Less is gone before anybody notices.
MOST_BYTES = 1_000_000_000


@rule("R603", since="0.2", needs=("astype",), prevents=("widened-dtype", "memory-limit-reached"))
def array_made_twice(source: Source) -> Iterator[Finding]:
    """A large array is made as float64 and copied to a smaller type at once.

    ## Why it is bad
    While `astype` copies, both arrays are in memory: three times as much as the result takes. The program dies at this
    line although the resulting array would fit.

    ## Bad
        pictures = np.random.rand(10000, 224, 224, 3).astype(np.float32)

    ## Good
        pictures = np.random.default_rng().random((10000, 224, 224, 3), dtype=np.float32)
    """
    for call in source.methods("astype"):
        assert isinstance(call.func, ast.Attribute)
        before, after = source.specs.of(call.func.value), source.specs.of(call)
        if not isinstance(call.func.value, ast.Call) or before is None or after is None:
            continue
        wide, narrow = before.bytes, after.bytes
        if not narrow or narrow >= wide or wide + narrow < MOST_BYTES:
            continue
        yield Finding(
            f"This line needs {size(wide + narrow)} at once ({size(wide)} as {before.dtype}, then {size(narrow)} as {after.dtype}); "
            f"made as {after.dtype} it needs {size(narrow)}.",
            remedies=(
                Remedy(
                    f"Make it as {after.dtype}: np.zeros(shape, dtype=np.{after.dtype}), "
                    f"or np.random.default_rng().random(shape, dtype=np.{after.dtype})."
                ),
            ),
            where=source.place(call),
        )
