"""A name that nothing binds."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule


@rule("R601", since="0.2", prevents=("uncaught-exception",))
def undefined_name(source: Source) -> Iterator[Finding]:
    """A name is used that no line of the file defines or imports.

    ## Why it is bad
    The line fails with `NameError` as soon as it runs, which may be after hours of training. In a notebook such a name
    often comes from a cell that was deleted: the notebook works until its kernel is restarted.

    ## Bad
        dataset = tf.data.Dataset.range(10)
        total = 0
        for element in dataset:
            total += int(elemnt)

    ## Good
        dataset = tf.data.Dataset.range(10)
        total = 0
        for element in dataset:
            total += int(element)
    """
    for it in source.undefined:
        name = it.node.id
        text = f"Define `{name}` before this line."
        if it.statement:
            text = f"Write `{it.statement}` at the top."
        elif it.nearest:
            text = f"Write `{it.nearest}`, if that is meant; otherwise define `{name}` before this line."
        yield Finding(
            f"`{name}` is not defined: this line ends with NameError.",
            remedies=(Remedy(text),),
            where=source.place(it.node),
        )
