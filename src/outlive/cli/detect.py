"""`outlive detect`: run an object detector over everything, and finish."""

from __future__ import annotations

import sys
from typing import Any

import click

from outlive.cli.measures import size_in_bytes


@click.command(short_help="Run an object detector over pictures, whatever happens to its workers.")
@click.argument("model", required=False)
@click.argument("inputs", nargs=-1, metavar="INPUT...")
@click.option("--out", metavar="DIR", help="Folder for results, journal and quarantine.")
@click.option(
    "--list",
    "lists",
    multiple=True,
    metavar="FILE",
    help="More inputs, one per line; also as @FILE. Use - for standard input.",
)
@click.option(
    "--resume",
    is_flag=True,
    help="Resume the job in --out; finished pictures are skipped.",
)
@click.option(
    "--format",
    type=click.Choice(["parquet", "jsonl", "csv", "coco"]),
    default="parquet",
    show_default=True,
    help="Format of the results.",
)
@click.option("--labels", metavar="FILE", help="Label map: .pbtxt, JSON, or one name per line.")
@click.option(
    "--min-score",
    type=click.FloatRange(0, 1),
    default=0.3,
    show_default=True,
    help="Minimum score; objects below it are dropped.",
)
@click.option(
    "--batch",
    type=click.IntRange(1, 500),
    default=32,
    show_default=True,
    help="Maximum batch size; the actual size is found by measuring.",
)
@click.option(
    "--memory",
    metavar="SIZE",
    callback=size_in_bytes,
    help="Memory for the worker, e.g. 2GB (default: what is available, less a reserve).",
)
@click.option(
    "--max-side",
    type=click.IntRange(32),
    metavar="PIXELS",
    help="Shrink larger pictures to this size.",
)
@click.option(
    "--tile",
    type=click.IntRange(32),
    metavar="PIXELS",
    help="Split large pictures into overlapping tiles of this size, and merge the detections.",
)
@click.option(
    "--every",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="Use only every Nth frame of videos.",
)
@click.option(
    "--draw", is_flag=True, help="Write annotated copies, and a contact sheet of the best."
)
@click.option(
    "--deadline",
    type=click.FloatRange(1),
    metavar="SECONDS",
    help="Replace a worker that answers nothing for this many seconds (default: 60, or 300 while it computes).",
)
@click.option(
    "--runtime",
    type=click.Choice(["auto", "tf", "litert"]),
    default="auto",
    show_default=True,
    help="litert: convert once, check and keep the result; needs a sixth to a ninth of the memory. auto: LiteRT if already converted.",
)
@click.option(
    "--pixels",
    type=click.Choice(["0..255", "0..1", "-1..1"]),
    default="0..255",
    show_default=True,
    help="Pixel range that a float model expects.",
)
@click.option(
    "--on",
    default="local",
    show_default=True,
    metavar="WHERE",
    help="local, or ray[:HOST:PORT]: actors on all nodes of that Ray cluster.",
)
@click.option(
    "--actor-cpus",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    metavar="N",
    help="With --on ray: cores of each actor; its memory is its share of the node's.",
)
@click.option(
    "--shard",
    metavar="I/N",
    help="Do only the Ith of N parts, counted from 0; all write to one --out, and each resumes when started again.",
)
@click.option("--merge", metavar="DIR", help="Make the results of all shards in DIR.")
@click.option("--status", metavar="DIR", help="Show how far the shards or actors in DIR are.")
@click.option("--json", "as_json", is_flag=True, help="Print the summary as one JSON object.")
def detect(
    model: str | None,
    inputs: tuple[str, ...],
    out: str | None,
    lists: tuple[str, ...],
    merge: str | None,
    status: str | None,
    **options: Any,
) -> None:
    """Run a detector over folders, patterns and lists of pictures and videos.

    \b
      outlive detect ssd_mobilenet/ photos/ --out found
      outlive detect ssd_mobilenet/ 'data/**/*.jpg' --labels map.pbtxt --out found
      outlive detect ssd_mobilenet/ @list.txt --out found --resume
      find . -name '*.jpg' -print0 | outlive detect ssd_mobilenet/ - --out found
      outlive detect ssd_mobilenet/ film.mp4 --every 10 --draw --out found
      outlive detect ssd_mobilenet/ photos/ --on ray --out /shared/found
      outlive detect ssd_mobilenet/ photos/ --shard 0/4 --out /shared/found
      outlive detect --merge /shared/found

    The model runs in a worker of its own. When it dies (killed for memory, a crash in native code, a hang), the picture that killed it
    is found and put into quarantine.jsonl with the cause, and the job continues. Every result is on the disk before it is counted: after
    any kill, of anything, --resume continues where it stopped. Ctrl-C finishes the pictures in hand; a second one stops at once.

    With --on ray the workers are in actors on all nodes of a Ray cluster; after any death --resume continues. With --shard every machine of a cluster (a Slurm array, an indexed Job of Kubernetes) does a part of its own; --merge makes the results
    when all have finished, and --status shows how far they are.

    Exit status: 0 all done, 1 some are in quarantine, 2 wrong usage, 3 it failed, 130 it was stopped. With --shard: 0 it has finished
    (--merge returns 1 if some are in quarantine), 2 or 4 final, do not retry; anything else: start it again.
    """
    if merge is not None or status is not None:
        from outlive.detection.leased_progress import tell_merged, tell_status

        as_json = options["as_json"]
        sys.exit(
            tell_merged(merge, as_json) if merge is not None else tell_status(status or "", as_json)
        )
    from outlive.detection.inputs import kept_standard_input
    from outlive.detection.models.runtimes import with_runtime
    from outlive.detection.progress import follow
    from outlive.detection.results import need_arrow
    from outlive.detection.settings import Settings, label_names
    from outlive.detection.start import final, started
    from outlive.errors import UsageError
    from outlive.report.text import visible

    if model is None or (not inputs and not lists):
        raise UsageError(
            "No model given." if model is None else "No inputs given.",
            "Give a model, and folders, patterns, files or @list:  outlive detect MODEL photos/ --out found",
        )
    if out is None:
        raise UsageError("No --out given.", "Give a folder for the results:  --out found")

    def say(words: str) -> None:
        click.echo(f"outlive: {visible(words)}", err=True)

    as_json, resume, shard = options.pop("as_json"), options.pop("resume"), options.pop("shard")
    on, cpus = options.pop("on"), options.pop("actor_cpus")
    settings = Settings(
        model,
        labels=label_names(options.pop("labels")),
        budget=options.pop("memory"),
        **options,
    )
    with final(shard is not None), kept_standard_input(inputs, lists) as kept:
        settings = with_runtime(settings.checked(), say)
        if settings.format == "parquet":
            need_arrow()
        detection = started(settings, inputs, kept, out, resume, shard, on, cpus, say)
        try:
            ended = follow(detection, ["outlive", *sys.argv[1:]], as_json)
        finally:
            detection.close()
    sys.exit(ended)
