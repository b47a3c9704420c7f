"""A prefetch that runs too far ahead."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from outlive.model.findings import Finding, Remedy
from outlive.source.parsed import Source, Stage
from outlive.units.unit import rule

#: More finished batches than this help nobody: one or two hide the time that the next one takes.
MOST_BATCHES = 16
MOST_PICTURES = 256


@rule("R101", since="0.1", needs=("prefetch",), prevents=("prefetch-too-deep",))
def deep_prefetch(source: Source) -> Iterator[Finding]:
    """A `prefetch` keeps many finished batches or pictures.

    ## Why it is bad
    `prefetch(n)` keeps up to n finished elements, and after `batch` an element is a whole batch: `batch(64).prefetch(64)` keeps 4096 pictures.
    When the model is slower than the pipeline, the buffer fills up and the program is killed.

    ## Bad
        BATCH = 64
        photos = tf.data.Dataset.list_files("photos/*.jpg").map(load)
        photos = photos.batch(BATCH).prefetch(BATCH)

    ## Good
        BATCH = 64
        photos = tf.data.Dataset.list_files("photos/*.jpg").map(load)
        photos = photos.batch(BATCH).prefetch(tf.data.AUTOTUNE)
    """
    for call in source.methods("prefetch"):
        depth = source.argument(call, 0, "buffer_size")
        if depth is None:
            continue
        before = source.values.stages(call)[:-1]
        count = source.number(depth)
        batched = source.values.in_batches(before)
        pictures = any(source.values.decodes(stage) for stage in before)
        too_deep = count is not None and (
            (batched and count > MOST_BATCHES) or (pictures and count > MOST_PICTURES)
        )
        if not too_deep and not (count is None and _is_the_size_of_a_batch(depth, before)):
            continue
        what = "batches" if batched else "pictures"
        how_many = f"up to {count:.0f}" if count is not None else f"`{source.segment(depth)}`"
        better = source.names.alias("tf.data.AUTOTUNE") or "2"
        yield Finding(
            f"`prefetch` keeps {how_many} finished {what}.",
            remedies=(
                Remedy(
                    f"Write prefetch({better}): one or two are enough to hide the time the next one takes.",
                    safe=True,
                    edits=(source.replacement(depth, better),),
                ),
            ),
            where=source.place(call),
        )


def _is_the_size_of_a_batch(depth: ast.expr, before: list[Stage]) -> bool:
    sizes = [stage.call.args[0] for stage in before if stage.name == "batch" and stage.call.args]
    return any(ast.dump(size) == ast.dump(depth) for size in sizes)
