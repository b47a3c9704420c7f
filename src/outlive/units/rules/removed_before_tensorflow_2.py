"""A name or an order of arguments from before TensorFlow 1.0."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

NAMES = {
    "tf.pack": "tf.stack", "tf.unpack": "tf.unstack", "tf.mul": "tf.multiply", "tf.sub": "tf.subtract", "tf.neg": "tf.negative",
    "tf.inv": "tf.math.reciprocal", "tf.select": "tf.where", "tf.batch_matmul": "tf.matmul", "tf.listdiff": "tf.sets.difference",
    "tf.complex_abs": "tf.abs", "tf.scalar_summary": "tf.summary.scalar", "tf.histogram_summary": "tf.summary.histogram",
    "tf.image_summary": "tf.summary.image", "tf.merge_summary": "tf.compat.v1.summary.merge", "tf.audio_summary": "tf.summary.audio",
    "tf.merge_all_summaries": "tf.compat.v1.summary.merge_all", "tf.train.SummaryWriter": "tf.compat.v1.summary.FileWriter",
    "tf.nn.seq2seq": "tf.keras.layers", "tf.models": "tf.keras.layers",
    "tf.batch_cholesky": "tf.linalg.cholesky", "tf.nn.rnn": "tf.keras.layers.RNN",
}  # fmt: skip

LAST = frozenset(name.rpartition(".")[2] for name in NAMES)


@rule("R679", since="0.2", prevents=("uncaught-exception",), behind=("shapes-do-not-fit",))
def removed_before_tensorflow_2(source: Source) -> Iterator[Finding]:
    """A name is used, or an order of arguments, that was given up with TensorFlow 1.0.

    ## Why it is bad
    Neither TensorFlow 1 nor 2 has it: the line ends with `AttributeError` or `TypeError`. `tf.concat(0, values)` and `tf.split(0, number, value)` were turned
    round: the values come first now.

    ## Bad
        both = tf.concat(0, [tf.ones([2]), tf.zeros([2])])

    ## Good
        both = tf.concat([tf.ones([2]), tf.zeros([2])], 0)
    """
    for node in source.every(ast.Attribute):
        name = source.called(node) if node.attr in LAST else ""
        if name in NAMES and not source.is_caught(node):
            yield Finding(
                f"There has been no `{name}` since TensorFlow 1.0: this line ends with AttributeError.",
                remedies=(Remedy(f"Write {NAMES[name]}."),),
                where=source.place(node),
            )
    for call in source.calls("tf.concat", "tf.split"):
        first, second = (source.argument(call, place) for place in (0, 1))
        third = source.argument(call, 2) if source.called(call.func) == "tf.split" else second
        numbers = source.number(first) is not None and (
            source.called(call.func) == "tf.concat" or third is not None
        )
        if (
            numbers
            and source.number(third) is None
            and third is not None
            and not isinstance(third, ast.Constant)
            and not source.is_caught(call)
        ):
            word = source.called(call.func)
            yield Finding(
                f"`{word}` takes the values first and the axis last: this line ends with an error.",
                remedies=(Remedy("Write tf.concat(values, axis), tf.split(value, number, axis)."),),
                where=source.place(call),
            )
