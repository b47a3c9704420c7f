"""`outlive lint`: what in this code will kill it, before it runs."""

from __future__ import annotations

from typing import Any

import click

from outlive.cli.measures import size_in_bytes


@click.command(short_help="Find code that will crash or run out of memory.")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path())
@click.option("--fix", is_flag=True, help="Apply the safe fixes, and show the diff.")
@click.option(
    "--unsafe-fixes",
    "unsafe",
    is_flag=True,
    help="Also apply fixes that may change results (e.g. float64 → float32).",
)
@click.option("--diff", is_flag=True, help="Show the diff, but write nothing.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif", "github"]),
    default="text",
    show_default=True,
    help="Output format.",
)
@click.option("--select", multiple=True, metavar="RULE", help="Run only this rule (slug or code).")
@click.option("--ignore", multiple=True, metavar="RULE", help="Skip this rule.")
@click.option(
    "--confidence",
    "sure",
    type=click.Choice(["likely", "possible"]),
    help="Minimum confidence of findings to show. [default: likely]",
)
@click.option(
    "--config",
    metavar="FILE",
    help="Use this pyproject.toml instead of the nearest one above PATH.",
)
@click.option(
    "--memory",
    metavar="SIZE",
    callback=size_in_bytes,
    help="Memory of the machine that the program will run on, e.g. 8GB (default: what this one has).",
)
@click.option(
    "--python",
    metavar="PATH",
    default="",
    help="The Python whose TensorFlow is asked which shapes and types fit (default: this one, or yours).",
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(0),
    default=0,
    help="Number of processes. [default: one per core]",
)
@click.pass_context
def lint(context: click.Context, /, paths: tuple[str, ...], **options: Any) -> None:
    """Find code in scripts and notebooks that will crash or run out of memory. Without PATH, check the current folder.

    \b
      outlive lint src/ train.ipynb
      outlive lint --memory 8GB train.py        arrays that will not fit there
      outlive lint --diff .                     what --fix would change
      outlive lint --format sarif . > out.sarif

    Nothing of yours is run or imported. Which shapes an operation or a layer takes is asked of TensorFlow, in a process of its own; its
    answers are kept. A line is allowed with  # outlive: allow SLUG and the reason.  Settings: [tool.outlive.lint] in
    pyproject.toml (select, ignore, exclude, confidence). `outlive explain SLUG` is the manual page of a rule.
    Exit status: 0 nothing found, 1 findings or a file that cannot be read, 2 wrong usage, 3 Outlive failed.
    """
    from outlive.source.lint.command import lint as look

    context.exit(look(paths or (".",), **options))
