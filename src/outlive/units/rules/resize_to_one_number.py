"""A picture that is resized to one number instead of two."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

RESIZERS = (
    "tf.image.resize", "tf.image.resize_images", "tf.image.resize_bilinear", "tf.image.resize_nearest_neighbor", "tf.image.resize_bicubic",
)  # fmt: skip


@rule(
    "R655",
    since="0.2",
    needs=("resize",),
    prevents=("shape-mismatch", "uncaught-exception"),
    behind=("shapes-do-not-fit",),
)
def resize_to_one_number(source: Source) -> Iterator[Finding]:
    """`tf.image.resize` gets its height and width as two arguments, or only one number.

    ## Why it is bad
    The size is one argument, a pair. A single number ends with "'size' must be a 1-D int32 Tensor", and the second is taken for the method.

    ## Bad
        picture = tf.zeros([300, 400, 3])
        small = tf.image.resize(picture, 224, 224)

    ## Good
        picture = tf.zeros([300, 400, 3])
        small = tf.image.resize(picture, [224, 224])
    """
    for call in source.calls(*RESIZERS):
        size = source.argument(call, 1, "size")
        if source.number(size) is not None and not source.is_caught(call):
            yield Finding(
                "The size is one argument of two numbers: this line ends with ValueError.",
                remedies=(Remedy("Write [height, width], in brackets."),),
                where=source.place(call),
            )
