"""`outlive scan`: read a data set before a model does."""

from __future__ import annotations

import sys
from typing import Any

import click

from outlive.cli.measures import size_in_bytes


@click.command(short_help="Check a data set for problems before training.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@click.option("--labels", metavar="FILE", help="Label map: .pbtxt, JSON, or one name per line.")
@click.option(
    "--budget",
    metavar="SIZE",
    callback=size_in_bytes,
    help="Memory for one picture, e.g. 800MB or 2GB (default: half of the effective limit).",
)
@click.option(
    "--jobs", "-j", type=click.IntRange(1), help="Number of processes (default: one per core)."
)
@click.option(
    "--on",
    default="local",
    show_default=True,
    metavar="WHERE",
    help="local, or ray[:HOST:PORT]: all nodes of that Ray cluster, which must see the same files.",
)
@click.option(
    "--no-cache",
    is_flag=True,
    help="Check everything again, including files unchanged since the last scan.",
)
@click.option(
    "--fix",
    is_flag=True,
    help="Fix what can be fixed without loss: file names that do not match the format; GIF, WebP and TIFF to PNG. Originals are kept; files named by annotations keep their names.",
)
@click.option(
    "--quarantine",
    metavar="DIR",
    help="Move files that would stop a run to this folder; quarantine.jsonl says why.",
)
@click.option(
    "--dry-run", is_flag=True, help="With --fix and --quarantine: only show what would be done."
)
@click.option(
    "--all",
    "show_all",
    is_flag=True,
    help="List every problem, not only the first five of each kind.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON object.")
def scan(paths: tuple[str, ...], **options: Any) -> None:
    """Find files and records that would stop a run or silently corrupt training.

    \b
      outlive scan photos/                          pictures
      outlive scan 'data/*.tfrecord' --labels map.pbtxt
      outlive scan voc/ coco.json labels/           annotations: Pascal VOC, COCO, YOLO

    Pictures: truncated, empty, corrupt, not a picture at all, wrong extension, too large, animated, CMYK, 16-bit, with transparency,
    EXIF-rotated, grey among colour pictures. TFRecord files: checksums, truncation, the offset of the first bad byte, features that
    are missing or of another type. Annotations: boxes outside, inverted, empty, not finite, in the wrong unit; unknown labels; counts
    and sizes that disagree; missing pictures; duplicates. Nothing is changed unless you ask for it.

    Exit status: 0 no problems, 1 problems, 2 wrong usage or nothing to check.
    """
    from outlive.data.scan.command import scan_paths

    options["use_cache"] = not options.pop("no_cache")
    sys.exit(scan_paths(paths, **options))
