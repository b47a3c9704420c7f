"""`outlive scan`: read a data set before a model does."""

from __future__ import annotations

import sys
from typing import Any

import click

from outlive.written_size import bytes_in


def size_in_bytes(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> int | None:
    """A size as people write it."""
    return None if value is None else bytes_in(value)


@click.command(short_help="Read a data set before a model does.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--labels", metavar="FILE", help="The label map: .pbtxt, JSON, or one name a line.")
@click.option(
    "--budget",
    metavar="SIZE",
    callback=size_in_bytes,
    help="Memory for one picture, as 800MB or 2GB; else half of the effective limit.",
)
@click.option("--jobs", "-j", type=click.IntRange(1), help="Processes; else one for each core.")
@click.option(
    "--no-cache",
    is_flag=True,
    help="Read everything again, also what has not changed since the last scan.",
)
@click.option(
    "--fix",
    is_flag=True,
    help="Mend what can be mended without loss: names that do not fit the format; GIF, WebP and TIFF as PNG. Originals are kept; what annotations name keeps its name.",
)
@click.option(
    "--quarantine",
    metavar="DIR",
    help="Move the files that would stop a run there, with quarantine.jsonl saying why.",
)
@click.option(
    "--dry-run", is_flag=True, help="With --fix and --quarantine: say what would be done."
)
@click.option(
    "--all", "show_all", is_flag=True, help="List every flaw, not the first five of each kind."
)
@click.option("--json", "as_json", is_flag=True, help="Everything as one JSON object.")
def scan(paths: tuple[str, ...], **options: Any) -> None:
    """Name every file and record that would stop a run, or silently spoil it, before it does.

    \b
      outlive scan photos/                          pictures
      outlive scan 'data/*.tfrecord' --labels map.pbtxt
      outlive scan voc/ coco.json labels/           annotations: Pascal VOC, COCO, YOLO

    Pictures: truncated, empty, corrupt, no picture at all, wrong extension, too large, animated, CMYK, 16-bit, with transparency,
    EXIF-rotated, grey among coloured ones. TFRecord files: checksums, truncation, the offset of the first bad byte, features that
    are missing or of another type. Annotations: boxes outside, inverted, empty, not finite, in the wrong unit; unknown labels; counts
    and sizes that disagree; missing pictures; duplicates. Nothing is changed unless you ask for it.

    Exit status: 0 no flaw, 1 flaws, 2 wrong usage.
    """
    from outlive.scanning import scan_paths

    options["use_cache"] = not options.pop("no_cache")
    sys.exit(scan_paths(paths, **options))
