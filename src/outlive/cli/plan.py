"""`outlive plan`: what will it need, before it is run?"""

from __future__ import annotations

import sys
from typing import Any

import click

from outlive.cli.measures import size_in_bytes


def _sides(
    context: click.Context, parameter: click.Parameter, value: str | None
) -> tuple[int, ...] | None:
    """The sides of one input, without the batch."""
    if value is None:
        return None
    try:
        return tuple(int(side) for side in value.replace("x", ",").split(","))
    except ValueError as error:
        raise click.BadParameter("write it as 320,320,3") from error


@click.command(short_help="Predict how much memory a pipeline or a model needs.")
@click.argument("target", required=False, metavar="[SCRIPT[:NAME] | MODEL]")
@click.argument("arguments", nargs=-1, metavar="[-- ARGUMENTS]")
@click.option("--batch", type=click.IntRange(1), help="For a model: predict for this batch size.")
@click.option(
    "--shape",
    metavar="SIDES",
    callback=_sides,
    help="For a model: shape of one input, e.g. 320,320,3.",
)
@click.option("--no-train", is_flag=True, help="For a model: inference only, no training.")
@click.option(
    "--memory",
    metavar="SIZE",
    callback=size_in_bytes,
    help="Memory limit, e.g. 2GB (default: what is available).",
)
@click.option(
    "--python",
    metavar="PATH",
    help="The Python for the script (default: the one that runs Outlive).",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON (schema outlive.plan/1).")
def plan(target: str | None, arguments: tuple[str, ...], **options: Any) -> None:
    """Predict how much memory a tf.data pipeline or a model needs, and say which stage to change, and to what.

    \b
      outlive plan                        how much memory is available
      outlive plan train.py:dataset       a dataset, or a function that returns one
      outlive plan train.py               the pipelines that a run builds
      outlive plan train.py -- --data x   the same, with its arguments
      outlive plan model.keras --batch 32

    For train.py:NAME the script is imported (not run as the main program) and a few elements are sent through its functions. Without a
    name it is run up to the first element that it reads. A model (SavedModel, .keras, .h5, .tflite) is run at small batches, each in a process of its
    own. All of it happens in a child: what dies there is reported.

    Exit status: 0 it fits, 1 it does not, 2 wrong usage, 3 it could not be measured.
    """
    from outlive.keep.bound.plan_command import plan_target

    sys.exit(plan_target(target, arguments, **options))
