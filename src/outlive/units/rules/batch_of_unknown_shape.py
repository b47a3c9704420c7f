"""Pictures of unknown size in a queue of batches."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source, key_of
from outlive.units.unit import rule

DECODERS = frozenset(
    {
        "tf.image.decode_jpeg",
        "tf.image.decode_png",
        "tf.image.decode_image",
        "tf.io.decode_jpeg",
        "tf.io.decode_png",
        "tf.io.decode_image",
    }
)
#: What keeps the size of a picture as it is.
KEEPING = (
    "tf.cast",
    "tf.to_float",
    "tf.image.convert_image_dtype",
    "tf.image.random_flip_left_right",
    "tf.image.random_brightness",
    "tf.image.per_image_standardization",
)


@rule(
    "R678",
    since="0.2",
    needs=("batch",),
    prevents=("shape-mismatch", "uncaught-exception"),
)
def batch_of_unknown_shape(source: Source) -> Iterator[Finding]:
    """A decoded picture is given to `tf.train.batch`, which needs its size.

    ## Why it is bad
    The size of a picture is only known when it is read, and `tf.train.batch` needs it when the graph is made: "All shapes must be fully
    defined".

    ## Bad
        with tf.compat.v1.Session() as session:
            data = tf.io.read_file("a.jpg")
            picture = tf.image.decode_jpeg(data, channels=3)
            pictures = tf.compat.v1.train.batch([picture], batch_size=8)
            tf.compat.v1.train.start_queue_runners(session)

    ## Good
        with tf.compat.v1.Session() as session:
            data = tf.io.read_file("a.jpg")
            picture = tf.image.resize(tf.image.decode_jpeg(data, channels=3), [224, 224])
            pictures = tf.compat.v1.train.batch([picture], batch_size=8)
            tf.compat.v1.train.start_queue_runners(session)
    """
    shaped = {
        key_of(it.func.value)
        for it in source.methods("set_shape")
        if isinstance(it.func, ast.Attribute)
    }
    for call in source.calls("tf.train.batch", "tf.train.shuffle_batch"):
        listed = source.argument(call, 0, "tensors")
        if source.argument(
            call, None, "shapes", "dynamic_pad", "enqueue_many"
        ) is not None or source.is_caught(call):
            continue
        for part in getattr(listed, "elts", [listed]):
            if part is None or key_of(part) in shaped or not _is_of_unknown_size(source, part):
                continue
            yield Finding(
                f"The size of `{source.segment(part)}` is not known: this line ends with ValueError.",
                remedies=(
                    Remedy(
                        "Give all pictures one size first: tf.image.resize(picture, [height, width]); or picture.set_shape(…)."
                    ),
                ),
                where=source.place(call),
            )


def _is_of_unknown_size(source: Source, node: ast.expr, hops: int = 6) -> bool:
    roots = source.origins.roots(node)
    only = roots[0].node if len(roots) == 1 else None
    called = source.origins.called(roots[0]) if len(roots) == 1 else ""
    if called in DECODERS:
        return True
    below = only.args[0] if isinstance(only, ast.Call) and called in KEEPING and only.args else None
    return below is not None and hops > 0 and _is_of_unknown_size(source, below, hops - 1)
