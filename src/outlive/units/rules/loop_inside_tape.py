"""A whole epoch is recorded on one tape."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

#: A few steps together are how gradients are accumulated.
FEWEST_TURNS = 16


@rule("R202", since="0.1", needs=("GradientTape",), prevents=("tape-kept-open",))
def loop_inside_tape(source: Source) -> Iterator[Finding]:
    """A `GradientTape` stays open while a loop walks over a whole data set.

    ## Why it is bad
    A tape keeps every intermediate result while it is open, because the gradient needs it. Open around a loop over the
    data set, it keeps every layer of every step of the epoch.

    ## Bad
        batches = tf.data.Dataset.from_tensor_slices(small).batch(32)
        with tf.GradientTape() as tape:
            loss = 0.0
            for batch in batches:
                loss += tf.reduce_mean(model(batch))
        gradients = tape.gradient(loss, model.trainable_variables)

    ## Good
        batches = tf.data.Dataset.from_tensor_slices(small).batch(32)
        for batch in batches:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(model(batch))
            gradients = tape.gradient(loss, model.trainable_variables)
    """
    for opened in source.every(ast.With):
        if not any(_is_tape(source, item.context_expr) for item in opened.items):
            continue
        for loop in source.tree.inside(opened, ast.For):
            data = any(source.values.is_dataset(walked) for walked in source.values.walked(loop))
            if data and source.values.turns(loop) > FEWEST_TURNS:
                yield Finding(
                    "A `GradientTape` stays open while this loop iterates over the data set.",
                    remedies=(Remedy("Open the tape inside the loop, once per batch."),),
                    where=source.place(loop),
                )


def _is_tape(source: Source, expression: ast.expr) -> bool:
    return isinstance(expression, ast.Call) and source.called(expression.func) == "tf.GradientTape"
