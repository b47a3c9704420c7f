"""A placeholder where TensorFlow runs eagerly."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

PLACEHOLDERS = ("tf.placeholder", "tf.sparse_placeholder")


@rule("R608", since="0.2", needs=("placeholder",), prevents=("uncaught-exception",))
def placeholder_outside_a_graph(source: Source) -> Iterator[Finding]:
    """A placeholder is made where TensorFlow 2 runs eagerly.

    ## Why it is bad
    TensorFlow 2 computes each line at once, so a placeholder has no meaning: "tf.placeholder() is not compatible with
    eager execution". Inside the `with` of a session or of a graph it works.

    ## Bad
        pixels = tf.compat.v1.placeholder(tf.float32, shape=[None, 3])
        with tf.compat.v1.Session() as session:
            print(session.run(pixels * 2, feed_dict={pixels: [[1, 2, 3]]}))

    ## Good
        with tf.compat.v1.Session() as session:
            pixels = tf.compat.v1.placeholder(tf.float32, shape=[None, 3])
            print(session.run(pixels * 2, feed_dict={pixels: [[1, 2, 3]]}))
    """
    if source.makes_graphs:
        return
    for call in source.calls(*PLACEHOLDERS):
        written = source.names.written(call.func)
        inside = any(isinstance(above, ast.With) for above in source.tree.ancestors(call))
        if (
            "compat.v1" not in written
            or inside
            or source.tree.function(call)
            or source.is_caught(call)
        ):
            continue  # a function may be called where there is a graph
        yield Finding(
            "A placeholder cannot be made while TensorFlow runs eagerly: this line ends with RuntimeError.",
            remedies=(
                Remedy("Use a function with an argument (@tf.function) instead."),
                Remedy("Or call tf.compat.v1.disable_eager_execution() right after the import."),
            ),
            where=source.place(call),
        )
