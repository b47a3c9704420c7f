"""A variable whose shape is a tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source, key_of
from outlive.units.unit import rule

SHAPED = ("tf.random.normal", "tf.random_normal", "tf.truncated_normal", "tf.random.truncated_normal", "tf.zeros", "tf.ones", "tf.random_uniform", "tf.random.uniform")  # fmt: skip


@rule(
    "R648",
    since="0.2",
    needs=("Variable",),
    prevents=("uncaught-exception",),
)
def variable_of_unknown_shape(source: Source) -> Iterator[Finding]:
    """A variable's first value has a shape that is only known when the graph runs.

    ## Why it is bad
    A variable needs its shape when it is made. Where it comes from `tf.shape`, that is a tensor: "initial_value must have a shape
    specified".

    ## Bad
        with tf.compat.v1.Session() as session:
            pixels = tf.compat.v1.placeholder(tf.float32, [None, 10])
            sizes = tf.stack([tf.shape(pixels)[1], 5])
            weights = tf.Variable(tf.random.normal(sizes))

    ## Good
        with tf.compat.v1.Session() as session:
            pixels = tf.compat.v1.placeholder(tf.float32, [None, 10])
            sizes = [pixels.shape[1], 5]
            weights = tf.Variable(tf.random.normal(sizes))
    """
    for call in source.calls("tf.Variable", "tf.get_variable"):
        if source.argument(call, None, "validate_shape", "shape") is not None or not any(
            source.calls("tf.placeholder")
        ):
            continue
        value = source.argument(call, 0, "initial_value", "initializer")
        given = {
            key_of(it.func.value)
            for it in source.methods("set_shape")
            if isinstance(it.func, ast.Attribute)
        }
        if value is None or key_of(value) in given:
            continue
        for root in source.origins.roots(value):
            made = source.origins.called(root)
            if not isinstance(root.node, ast.Call) or made not in SHAPED:
                continue
            shape = source.argument(root.node, 0, "shape", "dims")
            if _is_a_tensor(source, shape):
                yield Finding(
                    "The shape of this variable is a tensor: it is not known when the variable is made.",
                    remedies=(
                        Remedy("Take the static shape, x.shape[1], instead of tf.shape(x)[1]."),
                    ),
                    where=source.place(call),
                )


def _is_a_tensor(source: Source, shape: ast.expr | None) -> bool:
    """Whether a shape is made by `tf.shape`, alone or within `tf.stack`."""
    for root in source.origins.roots(shape):
        node = root.node.value if isinstance(root.node, ast.Subscript) else root.node
        made = source.origins.made_by(node, root.frame)
        if made == {"tf.shape"}:
            return True
        if made == {"tf.stack"} and isinstance(node, ast.Call) and node.args:
            listed = node.args[0]
            if any(_is_a_tensor(source, part) for part in getattr(listed, "elts", ())):
                return True
    return False
