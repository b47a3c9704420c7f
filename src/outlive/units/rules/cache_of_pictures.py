"""A cache of decoded pictures."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.findings import Confidence, Finding, Remedy
from outlive.source.parsed import Source
from outlive.units.unit import rule


@rule("R103", since="0.1", needs=("cache",), prevents=("cache-in-memory",))
def cache_of_pictures(source: Source) -> Iterator[Finding]:
    """A `cache` without a file keeps every decoded picture in memory.

    ## Why it is bad
    A JPEG of 100 kB is 600 kB to 36 MB when it is decoded. `cache()` without a file name keeps all of them, so memory
    runs out in the first epoch, perhaps hours after the start.

    ## Bad
        def load(path):
            return tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(path)), (224, 224))

        photos = tf.data.Dataset.list_files("photos/*.jpg").map(load).cache().batch(32)

    ## Good
        def load(path):
            return tf.image.resize(tf.io.decode_jpeg(tf.io.read_file(path)), (224, 224))

        photos = tf.data.Dataset.list_files("photos/*.jpg").map(load).cache("photos.cache").batch(32)
    """
    for call in source.methods("cache"):
        if call.args or call.keywords:
            continue
        before = source.values.stages(call)[:-1]
        decoding = [stage for stage in before if source.values.decodes(stage)]
        if not decoding or any(stage.name == "take" for stage in before):
            continue
        by_map = any(stage.name == "map" for stage in decoding)
        yield Finding(
            "`cache` keeps every decoded picture of the data set in memory.",
            confidence=Confidence.LIKELY if by_map else Confidence.POSSIBLE,
            remedies=(
                Remedy("Cache to a file: cache('pictures.cache')."),
                Remedy(
                    "Or cache before decoding: the bytes of the files are five to a hundred times smaller."
                ),
            ),
            where=source.place(call),
        )
