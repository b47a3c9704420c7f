"""A run that needs a placeholder and does not feed it."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

#: What keeps its value between runs, or takes it from another thread: it needs no placeholder when it is read.
STOP = frozenset({
    "tf.Variable", "tf.get_variable", "tf.train.batch", "tf.train.shuffle_batch", "tf.train.slice_input_producer", "tf.placeholder_with_default",
    "tf.shape", "tf.zeros_like", "tf.ones_like", "tf.cond", "tf.while_loop", "tf.case", "tf.data.Dataset.from_tensor_slices", "tf.rank",
})  # fmt: skip


@rule(
    "R664",
    since="0.2",
    needs=("placeholder",),
    prevents=("uncaught-exception",),
)
def placeholder_not_fed(source: Source) -> Iterator[Finding]:
    """A session runs something that needs a placeholder, and feeds nothing for it.

    ## Why it is bad
    A placeholder has no value of its own: the run ends with "You must feed a value for placeholder tensor".

    ## Bad
        with tf.compat.v1.Session() as session:
            pixels = tf.compat.v1.placeholder(tf.float32, [2])
            rate = tf.compat.v1.placeholder(tf.float32, [])
            print(session.run(pixels * rate, feed_dict={pixels: [1, 2]}))

    ## Good
        with tf.compat.v1.Session() as session:
            pixels = tf.compat.v1.placeholder(tf.float32, [2])
            rate = tf.compat.v1.placeholder(tf.float32, [])
            print(session.run(pixels * rate, feed_dict={pixels: [1, 2], rate: 0.5}))
    """
    for run in source.sessions.runs:
        fed = list(source.sessions.fed(run))
        known = run.feed is None or (
            fed and all(source.origins.placeholder(key, run.frame) for key, _ in fed)
        )
        if (
            not known
            or source.is_caught(run.call)
            or (source.tree.function(run.call) and run.frame is None)
        ):
            continue
        given = {
            root.node for key, _ in fed if (root := source.origins.placeholder(key, run.frame))
        }
        needed = {
            root.node: root
            for fetched in run.fetches
            for root in source.origins.worked_out_of(fetched, run.frame, STOP)
            if source.origins.called(root) == "tf.placeholder"
        }
        missing = [node for node in needed if node not in given]
        if missing:
            line = source.place(missing[0]).line
            yield Finding(
                f"This run needs the placeholder of line {line}, and nothing is fed for it.",
                remedies=(Remedy("Add it to feed_dict."),),
                where=source.place(run.call),
            )
