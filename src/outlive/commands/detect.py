"""`outlive detect`: run an object detector over everything, and finish."""

from __future__ import annotations

import sys
from typing import Any

import click

from outlive.commands.scan import size_in_bytes


@click.command(short_help="Run an object detector over pictures, and finish, whatever happens.")
@click.argument("model")
@click.argument("inputs", nargs=-1, metavar="INPUT...")
@click.option(
    "--out", required=True, metavar="DIR", help="Where results, journal and quarantine go."
)
@click.option(
    "--list",
    "lists",
    multiple=True,
    metavar="FILE",
    help="More inputs, one a line; also as @FILE. A - is the standard input.",
)
@click.option(
    "--resume",
    is_flag=True,
    help="Go on with the job in --out; nothing that is done is done again.",
)
@click.option(
    "--format",
    type=click.Choice(["parquet", "jsonl", "csv", "coco"]),
    default="parquet",
    show_default=True,
    help="Of the results.",
)
@click.option("--labels", metavar="FILE", help="The label map: .pbtxt, JSON, or one name a line.")
@click.option(
    "--min-score",
    type=click.FloatRange(0, 1),
    default=0.3,
    show_default=True,
    help="Objects below it are left out.",
)
@click.option(
    "--batch",
    type=click.IntRange(1, 500),
    default=32,
    show_default=True,
    help="Pictures at once, at most; how many is found by measuring.",
)
@click.option(
    "--memory",
    metavar="SIZE",
    callback=size_in_bytes,
    help="For the worker, as 2GB; else what the limit leaves, less a reserve.",
)
@click.option(
    "--max-side", type=click.IntRange(32), metavar="PIXELS", help="Make larger pictures smaller."
)
@click.option(
    "--tile",
    type=click.IntRange(32),
    metavar="PIXELS",
    help="Look at large pictures in overlapping tiles of this size, and merge what is found.",
)
@click.option(
    "--every",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="Of videos only each Nth frame.",
)
@click.option(
    "--draw", is_flag=True, help="Write annotated copies, and a contact sheet of the best."
)
@click.option(
    "--deadline",
    type=click.FloatRange(1),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="Without any progress the worker hangs, and is replaced.",
)
@click.option(
    "--runtime",
    type=click.Choice(["auto", "tf", "litert"]),
    default="auto",
    show_default=True,
    help="litert: converted once, checked, kept; a sixth to a ninth of the memory. auto: LiteRT where that is done already.",
)
@click.option(
    "--pixels",
    type=click.Choice(["0..255", "0..1", "-1..1"]),
    default="0..255",
    show_default=True,
    help="How a float model takes its pictures.",
)
@click.option("--json", "as_json", is_flag=True, help="The summary as one JSON object.")
def detect(
    model: str, inputs: tuple[str, ...], out: str, lists: tuple[str, ...], **options: Any
) -> None:
    """Run a detector over folders, patterns and lists of pictures and videos.

    \b
      outlive detect ssd_mobilenet/ photos/ --out found
      outlive detect ssd_mobilenet/ 'data/**/*.jpg' --labels map.pbtxt --out found
      outlive detect ssd_mobilenet/ @list.txt --out found --resume
      find . -name '*.jpg' -print0 | outlive detect ssd_mobilenet/ - --out found
      outlive detect ssd_mobilenet/ film.mp4 --every 10 --draw --out found

    The model runs in a worker of its own. When it dies (killed for memory, a crash in native code, a hang), the picture that killed it
    is found and put into quarantine.jsonl with the cause, and the job goes on. Every result is on the disk before it is counted: after
    any kill, of anything, --resume goes on where it was. Ctrl-C finishes what is at hand; a second one stops at once.

    Exit status: 0 all done, 1 some are in quarantine, 2 wrong usage, 3 it failed, 130 it was stopped.
    """
    from outlive.detecting.inputs import inputs_from, kept_standard_input
    from outlive.detecting.results import need_arrow
    from outlive.detecting.running import Detection
    from outlive.detecting.runtimes import with_runtime
    from outlive.detecting.settings import Settings, label_names
    from outlive.detecting.telling import follow
    from outlive.errors import UsageError

    if not inputs and not lists:
        raise UsageError("There is nothing to look at.", "Give folders, patterns, files or @list.")
    as_json, resume = options.pop("as_json"), options.pop("resume")
    settings = Settings(
        model,
        labels=label_names(options.pop("labels")),
        budget=options.pop("memory"),
        **options,
    )
    settings = with_runtime(
        settings.checked(), lambda words: click.echo(f"outlive: {words}", err=True)
    )
    if settings.format == "parquet":
        need_arrow()
    with kept_standard_input(inputs, lists) as kept:
        detection = Detection(settings, lambda: inputs_from(inputs, kept), out, resume)
        try:
            status = follow(detection, ["outlive", *sys.argv[1:]], as_json)
        finally:
            detection.close()
    sys.exit(status)
