"""A shuffle buffer of pictures or batches."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from outlive.model.findings import Confidence, Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

#: Of 224 × 224 pixels in float32, 2000 pictures are 1.2 GB.
MOST_PICTURES = 2000
MOST_BATCHES_OF_PICTURES = 64
MOST_BATCHES = 1000


@rule("R102", since="0.1", needs=("shuffle",), prevents=("shuffle-buffer-too-large",))
def heavy_shuffle_buffer(source: Source) -> Iterator[Finding]:
    """A `shuffle` keeps its whole buffer as decoded pictures or batches.

    ## Why it is bad
    `shuffle(n)` fills a buffer of n elements before it gives out the first, and keeps it full. After decoding an element is a picture of half a
    megabyte and more, after `batch` it is a batch of them: a buffer that is small for names of files is many gigabytes here.

    ## Bad
        def load(path):
            return tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(path)), (224, 224))

        photos = tf.data.Dataset.list_files("photos/*.jpg").map(load).shuffle(20_000).batch(32)

    ## Good
        def load(path):
            return tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(path)), (224, 224))

        photos = tf.data.Dataset.list_files("photos/*.jpg").shuffle(20_000).map(load).batch(32)
    """
    for call in source.methods("shuffle"):
        buffer = source.argument(call, 0, "buffer_size")
        count = math.inf if _is_everything(source, buffer) else source.number(buffer)
        before = source.values.stages(call)[:-1]
        if count is None or not source.values.is_pipeline(before):
            continue
        if any(stage.name == "cache" and not stage.call.args for stage in before):
            continue  # these elements are in memory anyway, and are shared
        batched = source.values.in_batches(before)
        pictures = any(source.values.decodes(stage) for stage in before)
        most = MOST_BATCHES
        if pictures:
            most = MOST_BATCHES_OF_PICTURES if batched else MOST_PICTURES
        if count <= most or not (pictures or batched):
            continue
        what = " of ".join(
            word for word in (batched and "batches", pictures and "decoded pictures") if word
        )
        how_many = "all" if count == math.inf else f"{count:.0f}"
        yield Finding(
            f"`shuffle` keeps {how_many} {what} in memory.",
            confidence=Confidence.LIKELY if pictures else Confidence.POSSIBLE,
            remedies=(Remedy("Shuffle file names or records before decoding and batching them."),),
            where=source.place(call),
        )


def _is_everything(source: Source, buffer: ast.expr | None) -> bool:
    """`len(files)`, `ds.cardinality()`: as many as there are."""
    if not isinstance(buffer, ast.Call):
        return False
    method = buffer.func.attr if isinstance(buffer.func, ast.Attribute) else ""
    return source.called(buffer.func) == "builtins.len" or method == "cardinality"
