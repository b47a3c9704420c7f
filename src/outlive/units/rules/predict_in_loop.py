"""model.predict for one element at a time."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Confidence, Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

FEWEST_TURNS = 100

#: What makes a batch of one.
BATCH_OF_ONE = ("numpy.expand_dims", "tf.expand_dims", "keras.ops.expand_dims")


@rule(
    "R206",
    since="0.1",
    needs=("predict",),
    prevents=("native-leak", "graph-grows", "kept-in-container"),
)
def predict_in_loop(source: Source) -> Iterator[Finding]:
    """`model.predict` is called for one element at a time in a long loop.

    ## Why it is bad
    `predict` is made for a whole data set: each call builds an input pipeline, callbacks and a progress bar, which
    takes some milliseconds, and some kilobytes that are freed late or never. In a loop over 100,000 pictures that is
    most of the time, and memory only grows.

    ## Bad
        model = keras.models.load_model("model.keras")
        for picture in pictures:
            print(model.predict(np.expand_dims(picture, 0)))

    ## Good
        model = keras.models.load_model("model.keras")
        for picture in pictures:
            print(model.predict_on_batch(np.expand_dims(picture, 0)))
    """
    for call in source.methods("predict"):
        assert isinstance(call.func, ast.Attribute)
        if source.turns(call) < FEWEST_TURNS or not source.values.is_model(call.func.value):
            continue
        alone = bool(call.args) and _is_batch_of_one(source, call.args[0])
        remedy = Remedy(
            "Call model.predict_on_batch(batch) or model(batch, training=False) in the loop."
        )
        if alone and len(call.args) == 1 and not call.keywords:
            line, column = call.func.end_lineno or 0, call.func.end_col_offset or 0
            edits = (source.insertion(line, column, "_on_batch"),)
            remedy = Remedy("Write predict_on_batch: the result is the same array.", edits=edits)
        yield Finding(
            "`predict` is called in a long loop, and builds an input pipeline each time.",
            confidence=Confidence.LIKELY if alone else Confidence.POSSIBLE,
            remedies=(remedy, Remedy("Or give predict the whole data set, in batches, once.")),
            where=source.place(call),
        )


def _is_batch_of_one(source: Source, value: ast.expr) -> bool:
    if isinstance(value, ast.Name):
        bound = source.names.latest(value)
        value = bound.value if bound and bound.how == "assign" and bound.value else value
    if isinstance(value, ast.Call):
        if source.called(value.func) in BATCH_OF_ONE:
            return True
        if (
            source.called(value.func) in ("numpy.array", "numpy.asarray", "tf.constant")
            and value.args
        ):
            return isinstance(value.args[0], ast.List) and len(value.args[0].elts) == 1
    if isinstance(value, ast.Subscript):
        parts = value.slice.elts if isinstance(value.slice, ast.Tuple) else [value.slice]
        return any(
            (isinstance(part, ast.Constant) and part.value is None)
            or source.called(part) in ("tf.newaxis", "numpy.newaxis")
            for part in parts
        )
    return False
