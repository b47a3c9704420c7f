"""`outlive shrink`: a detector as a LiteRT file, checked."""

from __future__ import annotations

import os
import sys
from typing import Any

import click


@click.command(
    short_help="Convert a detector to LiteRT, which needs a fraction of the memory, and check the result."
)
@click.argument("model")
@click.option(
    "--to",
    "kind",
    type=click.Choice(["float32", "float16", "int8", "pruned"]),
    default="float32",
    show_default=True,
    help="Number type of the weights.",
)
@click.option(
    "--out", metavar="FILE", help="Output file (default: MODEL.KIND.tflite beside the model)."
)
@click.option(
    "--calibrate", multiple=True, metavar="DIR", help="Typical pictures; required for int8."
)
@click.option(
    "--samples",
    multiple=True,
    metavar="DIR",
    help="Pictures to compare on (default: those of --calibrate, or generated ones).",
)
@click.option(
    "--tolerance",
    type=click.FloatRange(0, 1),
    help="Tolerance: the largest allowed score difference (default: float32 0.001, float16 0.01, int8 and pruned 0.15).",
)
@click.option(
    "--sparsity",
    type=click.FloatRange(0, 0.99),
    default=0.5,
    show_default=True,
    help="Fraction of each weight tensor to set to zero (pruned).",
)
@click.option(
    "--pixels",
    type=click.Choice(["0..255", "0..1", "-1..1"]),
    default="0..255",
    show_default=True,
    help="Pixel range that a float model expects.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the report as one JSON object.")
def shrink(model: str, kind: str, out: str | None, as_json: bool, **options: Any) -> None:
    """Convert a detector to LiteRT, and compare both on pictures before it may be used.

    \b
      outlive shrink ssd_mobilenet/
      outlive shrink ssd_mobilenet/ --to int8 --calibrate photos/

    Reports size, peak memory, time for each picture and the largest difference of a score, before and after. A model that differs by more than the tolerance is rejected, and no file is written. The file is run with:  outlive detect FILE INPUT... --out DIR

    Exit status: 0 converted, 2 wrong usage, 3 it could not be converted or differs.
    """
    from outlive.detection.models.shrink import shrink as convert
    from outlive.detection.progress import tell_shrunk
    from outlive.detection.settings import Settings
    from outlive.errors import UsageError

    Settings(model, runtime="tf").checked()
    if kind == "int8" and not options["calibrate"]:
        raise UsageError(
            "int8 needs typical pictures to find the range of every number.", "--calibrate photos/"
        )
    name = os.path.splitext(os.path.normpath(model))[0]
    target = out or f"{name}.{kind}.tflite"
    calibration = options.pop("calibrate")
    shrunk = convert(model, kind, target, calibration=calibration, **options)
    tell_shrunk(shrunk, as_json)
    sys.exit(0)
