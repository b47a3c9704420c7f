"""A picture that is huge once it is decoded."""

from __future__ import annotations

from collections.abc import Iterator

from outlive.evidence import Evidence
from outlive.model import Confidence, Fact, Finding, Remedy, size
from outlive.unit import BEHIND_GROWTH, cause

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
    """A picture of very many pixels was decoded; on disk it is small, in memory it is not.

    ## What happened
    A file of some megabytes may hold hundreds of millions of pixels (a scan, a satellite picture, a panorama). Decoded it takes a byte a
    channel and pixel, as `float32` four times that, and resizing needs the whole of it first. One such file among thousands is enough.

    ## How we know
    When memory ran out, the program was reading this picture: a running function named the file, or Pillow had it open. Its first
    bytes tell how many pixels it has.

    ## What to do
    Look for such files beforehand and leave them out or shrink them. Decode at a fraction of the size: `tf.io.decode_jpeg(data, ratio=8)`,
    `Image.draft("RGB", (1024, 1024))`; crop while decoding with `tf.io.decode_and_crop_jpeg`.
    """
    limit = evidence.room()
    for pid in evidence.exhausted():
        looks = evidence.looks.get(pid)
        for picture in looks.pictures[:1] if looks else ():
            if limit is None or picture.bytes < LARGE_PART * limit:
                continue
            name = picture.path.rpartition("/")[2]
            refused = evidence.refused_memory()
            yield Finding(
                f"The picture `{name}` has {picture.width} × {picture.height} pixels: "
                f"{size(picture.bytes)} once it is decoded, {size(4 * picture.bytes)} as float32.",
                (
                    Fact("picture", picture.path, "the running functions", private=True),
                    Fact("pixels", picture.width * picture.height, "the beginning of the file"),
                    *evidence.because("memory limit", "peak memory", "last line seen"),
                ),
                Confidence.LIKELY,
                (
                    Remedy("Leave this file out, or shrink it before it is read."),
                    Remedy("Decode at a fraction of its size: tf.io.decode_jpeg(data, ratio=8)."),
                ),
                where=(refused.where if refused else None) or evidence.growing_line(pid),
            )
