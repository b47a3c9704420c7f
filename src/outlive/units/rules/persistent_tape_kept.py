"""A persistent tape lives on beside the next one."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule


@rule(
    "R203", since="0.1", needs=("persistent",), prevents=("tape-kept-open", "gpu-memory-exhausted")
)
def persistent_tape_kept(source: Source) -> Iterator[Finding]:
    """A persistent `GradientTape` in a loop is not deleted before the next iteration.

    ## Why it is bad
    A persistent tape keeps all it has recorded until its last reference is gone. In a loop that happens when the name
    gets the next tape, after the next forward pass: two steps are in memory at the same time, and a batch that just
    fitted no longer fits.

    ## Bad
        for batch in batches:
            with tf.GradientTape(persistent=True) as tape:
                loss, penalty = compute(batch)
            one = tape.gradient(loss, weights)
            two = tape.gradient(penalty, weights)

    ## Good
        for batch in batches:
            with tf.GradientTape(persistent=True) as tape:
                loss, penalty = compute(batch)
            one = tape.gradient(loss, weights)
            two = tape.gradient(penalty, weights)
            del tape
    """
    for call in source.calls("tf.GradientTape"):
        if not source.is_true(source.argument(call, 0, "persistent")) or source.traced(call):
            continue
        item = source.tree.parent(call)
        loops = source.loops(call)
        if (
            not loops
            or not isinstance(item, ast.withitem)
            or not isinstance(item.optional_vars, ast.Name)
        ):
            continue
        name = item.optional_vars.id
        gone = {
            target.id
            for node in source.tree.inside(loops[0], ast.Delete)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        if name not in gone:
            yield Finding(
                f"The persistent tape `{name}` stays alive while the next iteration is recorded.",
                remedies=(Remedy(f"Write `del {name}` after its last gradient."),),
                where=source.place(call),
            )
