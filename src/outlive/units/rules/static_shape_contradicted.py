"""A shape that contradicts the one before."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule


@rule(
    "R669",
    since="0.2",
    needs=("set_shape",),
    prevents=("shape-mismatch",),
    behind=("shapes-do-not-fit",),
)
def static_shape_contradicted(source: Source) -> Iterator[Finding]:
    """`set_shape` gets another number of axes than the tensor has.

    ## Why it is bad
    `set_shape` changes nothing: it says what TensorFlow could not find out by itself. What contradicts the shape that it knows ends with
    "Shapes must be equal rank". To make another shape of the same numbers is `tf.reshape`.

    ## Bad
        with tf.compat.v1.Session() as session:
            pixels = tf.compat.v1.placeholder(tf.float32, [None])
            pixels.set_shape([480, 640, 3])

    ## Good
        with tf.compat.v1.Session() as session:
            pixels = tf.compat.v1.placeholder(tf.float32, [None])
            pictures = tf.reshape(pixels, [480, 640, 3])
    """
    for call in source.methods("set_shape"):
        assert isinstance(call.func, ast.Attribute)
        made = source.origins.placeholder(call.func.value)
        if made is None or not isinstance(made.node, ast.Call) or source.is_caught(call):
            continue
        known = source.argument(made.node, 1, "shape")
        said = source.argument(call, 0, "shape")
        axes = (len(getattr(known, "elts", ())), len(getattr(said, "elts", ())))
        if all(axes) and axes[0] != axes[1] and _same_number(source, call):
            yield Finding(
                f"The tensor has {axes[0]} axes and is said to have {axes[1]}: this line ends with ValueError.",
                remedies=(Remedy("To make another shape of the same numbers, write tf.reshape."),),
                where=source.place(call),
            )


def _same_number(source: Source, call: ast.Call) -> bool:
    """Whether nothing between the placeholder and the call changed the number of axes."""
    assert isinstance(call.func, ast.Attribute)
    bound = source.names.latest(call.func.value)
    while (
        bound is not None
        and isinstance(bound.value, ast.Call)
        and source.called(bound.value.func) == "tf.identity"
    ):
        bound = source.names.latest(bound.value.args[0]) if bound.value.args else None
    return (
        bound is not None
        and isinstance(bound.value, ast.Call)
        and source.called(bound.value.func) == "tf.placeholder"
    )
