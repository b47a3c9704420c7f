"""A feed for something that is not a tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule


@rule(
    "R674",
    since="0.2",
    needs=("run(",),
    prevents=("uncaught-exception",),
)
def feed_key_not_a_tensor(source: Source) -> Iterator[Finding]:
    """The key of a feed is a text, a number, or a name that no longer stands for the placeholder.

    ## Why it is bad
    `run` feeds tensors: "Cannot interpret feed_dict key as Tensor", or "unhashable type" where the name of the placeholder was given to
    the data.

    ## Bad
        with tf.compat.v1.Session() as session:
            pixels = tf.compat.v1.placeholder(tf.float32, [2])
            total = tf.reduce_sum(pixels)
            pixels = np.zeros([2])
            print(session.run(total, feed_dict={pixels: pixels}))

    ## Good
        with tf.compat.v1.Session() as session:
            pixels = tf.compat.v1.placeholder(tf.float32, [2])
            total = tf.reduce_sum(pixels)
            values = np.zeros([2])
            print(session.run(total, feed_dict={pixels: values}))
    """
    for run in source.sessions.runs:
        for key, _ in source.sessions.fed(run):
            roots = source.origins.roots(key, run.frame)
            text = (
                isinstance(key, ast.Constant)
                and isinstance(key.value, str)
                and ":" not in key.value
            )
            data = roots and all(_is_data(source, root.node) for root in roots)
            if (text or data or _is_overwritten(source, key)) and not source.is_caught(run.call):
                yield Finding(
                    f"`{source.segment(key)}` is not a tensor here: `run` ends with TypeError.",
                    remedies=(
                        Remedy(
                            "Give the data another name than the placeholder, and use the placeholder as the key."
                        ),
                    ),
                    where=source.place(key),
                )


def _is_data(source: Source, node: ast.expr) -> bool:
    if isinstance(node, ast.List | ast.Dict | ast.ListComp):
        return True
    return isinstance(node, ast.Call) and source.called(node.func).startswith("numpy.")


def _is_overwritten(source: Source, key: ast.expr) -> bool:
    """Whether the name of a placeholder is the variable of a loop around the run."""
    if not isinstance(key, ast.Name):
        return False
    bindings = source.names.bindings(key)
    once = any(
        it.how == "assign" and source.origins.made_by(it.value) == {"tf.placeholder"}
        for it in bindings
    )
    latest = source.names.latest(key, through_branches=True)
    return once and latest is not None and latest.how == "for"
