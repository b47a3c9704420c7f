"""A picture that is huge once it is decoded."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.model.evidence import Evidence
from outlive.model.fact_names import LAST_LINE_SEEN, MEMORY_LIMIT, PEAK_MEMORY, PIXELS
from outlive.model.findings import Confidence, Fact, Finding, Remedy, size
from outlive.units.unit import BEHIND_GROWTH, cause

#: Of the limit, decoded with one byte a channel; what works with it makes a copy or a wider type of it.
LARGE_PART = 0.2


@cause(
    "D126",
    since="0.2",
    behind=(*BEHIND_GROWTH, "widened-dtype"),
    searched=(
        "decode large image out of memory",
        "one huge picture in dataset kills training",
        "tf.io.decode_image memory usage",
    ),
)
def oversized_image(evidence: Evidence) -> Iterator[Finding]:
    """A picture with very many pixels was decoded: small on disk, large in memory.

    ## What happened
    A file of some megabytes may hold hundreds of millions of pixels (a scan, a satellite picture, a panorama). Decoded,
    it takes one byte per channel and pixel, as `float32` four times that, and resizing needs all of it first. One such
    file among thousands is enough.

    ## How we know
    When memory ran out, the program was reading this picture: a running function named the file, or Pillow had it open. Its first
    bytes tell how many pixels it has.

    ## What to do
    Find such files in advance and skip or shrink them. Decode at a fraction of the size: `tf.io.decode_jpeg(data, ratio=8)`,
    `Image.draft("RGB", (1024, 1024))`; crop while decoding with `tf.io.decode_and_crop_jpeg`.
    """
    limit = evidence.memory.room()
    for pid in evidence.memory.exhausted():
        looks = evidence.growth.looks.get(pid)
        for picture in looks.pictures[:1] if looks else ():
            if limit is None or picture.bytes < LARGE_PART * limit:
                continue
            name = picture.path.rpartition("/")[2]
            refused = evidence.memory.refused()
            yield Finding(
                f"The picture `{name}` has {picture.width} × {picture.height} pixels: "
                f"{size(picture.bytes)} decoded, {size(4 * picture.bytes)} as float32.",
                (
                    Fact("picture", picture.path, "the running functions", private=True),
                    Fact(PIXELS, picture.width * picture.height, "the beginning of the file"),
                    *evidence.run.because(MEMORY_LIMIT, PEAK_MEMORY, LAST_LINE_SEEN),
                ),
                Confidence.LIKELY,
                (
                    Remedy("Skip this file, or shrink it before reading it."),
                    Remedy("Decode at a fraction of its size: tf.io.decode_jpeg(data, ratio=8)."),
                ),
                where=(refused.where if refused else None) or evidence.growth.growing_line(pid),
            )
