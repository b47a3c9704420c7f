"""Pictures of any size are decoded."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Confidence, Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule

DECODERS = (
    "tf.io.decode_jpeg", "tf.io.decode_png", "tf.io.decode_image", "tf.image.decode_jpeg", "tf.image.decode_png",
    "tf.image.decode_image",
)  # fmt: skip
GUARDS = ("tf.io.extract_jpeg_shape", "tf.image.extract_jpeg_shape", "tf.strings.length")


@rule(
    "R109",
    since="0.1",
    needs=("read_file", "GFile"),
    prevents=("oversized-image", "decompression-bomb"),
)
def unguarded_decode(source: Source) -> Iterator[Finding]:
    """A picture is decoded without a check of its size.

    ## Why it is bad
    A PNG of 200 kB can be 20,000 × 20,000 pixels: 1.2 GB as bytes, 4.8 GB as float32. One such file among 100,000 ends the run, and nobody
    knows which.

    ## Bad
        def load(path):
            return tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(path)), (224, 224))

    ## Good
        def load(path):
            data = tf.io.read_file(path)
            tf.debugging.assert_less(tf.reduce_prod(tf.io.extract_jpeg_shape(data)), 100_000_000)
            return tf.image.resize(tf.io.decode_jpeg(data), (224, 224))
    """
    for call in source.calls(*DECODERS):
        function = source.tree.function(call)
        if function is None or source.argument(call, None, "ratio") is not None:
            continue
        from_a_file = source.values.reaches(
            function, ("tf.io.read_file", "tf.io.gfile.GFile"), depth=1
        )
        if from_a_file and not source.values.reaches(function, GUARDS):
            yield Finding(
                "A file is decoded without checking its size.",
                confidence=Confidence.POSSIBLE,
                remedies=(
                    Remedy(
                        "Check the size before decoding: tf.io.extract_jpeg_shape(data), or decode_jpeg(data, ratio=2)."
                    ),
                ),
                where=source.place(call),
            )
