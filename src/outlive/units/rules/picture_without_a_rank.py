"""`decode_image` before an operation that needs to know the rank."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

DECODERS = ("tf.io.decode_image", "tf.image.decode_image")
NEEDING_A_RANK = (
    "tf.image.resize", "tf.image.resize_with_pad", "tf.image.resize_with_crop_or_pad", "tf.image.central_crop",
    "tf.image.random_flip_left_right", "tf.image.random_flip_up_down", "tf.image.per_image_standardization",
    "tf.image.pad_to_bounding_box", "tf.image.crop_to_bounding_box",
)  # fmt: skip


@rule(
    "R606",
    since="0.2",
    needs=("decode_image",),
    prevents=("shape-mismatch", "uncaught-exception"),
    behind=("shapes-do-not-fit",),
)
def picture_without_a_rank(source: Source) -> Iterator[Finding]:
    """A picture from `decode_image` has no rank, and the next operation refuses it.

    ## Why it is bad
    `decode_image` also reads animated GIFs, which have one dimension more. So TensorFlow does not know the rank of the
    result while it traces a pipeline's function, and `tf.image.resize` ends with "'images' contains no shape".

    ## Bad
        def load(path):
            picture = tf.io.decode_image(tf.io.read_file(path), channels=3)
            return tf.image.resize(picture, [224, 224])

        photos = tf.data.Dataset.list_files("photos/*").map(load)

    ## Good
        def load(path):
            picture = tf.io.decode_image(tf.io.read_file(path), channels=3, expand_animations=False)
            return tf.image.resize(picture, [224, 224])

        photos = tf.data.Dataset.list_files("photos/*").map(load)
    """
    for call in source.calls(*NEEDING_A_RANK):
        function = source.tree.function(call)
        traced = function in source.handed_to_tensorflow
        decoder = _decoder(source, call.args[0]) if call.args and traced else None
        if decoder is None or source.argument(decoder, 3, "expand_animations") is not None:
            continue
        at, column = decoder.end_lineno or 0, (decoder.end_col_offset or 1) - 1
        yield Finding(
            "The picture from `decode_image` has no known rank: this line ends with ValueError while it is traced.",
            remedies=(
                Remedy(
                    "Write decode_image(…, expand_animations=False).",
                    edits=(source.insertion(at, column, ", expand_animations=False"),),
                ),
            ),
            where=source.place(call),
        )


def _decoder(source: Source, expression: ast.expr) -> ast.Call | None:
    """The call of `decode_image` that a value comes from unchanged; whoever sets its shape in between knows the rank."""
    if isinstance(expression, ast.Call):
        return expression if source.called(expression.func) in DECODERS else None
    if not isinstance(expression, ast.Name):
        return None
    bound = source.names.latest(expression)
    if bound is None or bound.how != "assign" or not isinstance(bound.value, ast.Call):
        return None
    for call in source.methods("set_shape"):
        assert isinstance(call.func, ast.Attribute)
        named = isinstance(call.func.value, ast.Name) and call.func.value.id == expression.id
        if named and source.tree.function(call) is source.tree.function(expression):
            return None
    return _decoder(source, bound.value)
