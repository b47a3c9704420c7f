"""A tensor where a feed takes a value."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule


@rule(
    "R643",
    since="0.2",
    needs=(
        "feed_dict",
        "run(",
    ),
    prevents=("uncaught-exception",),
)
def tensor_in_feed(source: Source) -> Iterator[Finding]:
    """A tensor is fed to a placeholder, which takes values.

    ## Why it is bad
    A feed is data: a number, a list, an array. A tensor of the graph has no value yet, and `run` ends with "The value of a feed cannot be a
    tf.Tensor object".

    ## Bad
        with tf.compat.v1.Session() as session:
            pixels = tf.compat.v1.placeholder(tf.float32, [2])
            noise = tf.random.normal([2])
            print(session.run(pixels * 2, feed_dict={pixels: noise}))

    ## Good
        with tf.compat.v1.Session() as session:
            pixels = tf.compat.v1.placeholder(tf.float32, [2])
            noise = session.run(tf.random.normal([2]))
            print(session.run(pixels * 2, feed_dict={pixels: noise}))
    """
    for run in source.sessions.runs:
        if source.is_caught(run.call):
            continue
        for _, value in source.sessions.fed(run):
            roots = source.origins.roots(value, run.frame)
            if roots and all(source.sessions.is_tensor(root) for root in roots):
                yield Finding(
                    f"`{source.segment(value)}` is a tensor of the graph, not data: it cannot be fed.",
                    remedies=(
                        Remedy(
                            "Get its value first: value = session.run(tensor), or use the tensor itself in the graph."
                        ),
                    ),
                    where=source.place(value),
                )
