"""`outlive lint`: what in this code will kill it, before it runs."""

from __future__ import annotations

from typing import Any

import click


@click.command(short_help="What in this code will kill it, before it runs.")
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=click.Path())
@click.option(
    "--fix", is_flag=True, help="Rewrite what is safe to rewrite, and show the difference."
)
@click.option(
    "--unsafe-fixes",
    "unsafe",
    is_flag=True,
    help="Rewrite also what may change results (a float32 for a float64).",
)
@click.option("--diff", is_flag=True, help="Show what would be rewritten, and write nothing.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "sarif", "github"]),
    default="text",
    show_default=True,
    help="How findings are shown.",
)
@click.option("--select", multiple=True, metavar="RULE", help="Ask only this rule (slug or code).")
@click.option("--ignore", multiple=True, metavar="RULE", help="Do not ask this rule.")
@click.option(
    "--confidence",
    "sure",
    type=click.Choice(["likely", "possible"]),
    help="How sure a finding must be to be shown. [default: likely]",
)
@click.option(
    "--config", metavar="FILE", help="This pyproject.toml instead of the nearest one above PATH."
)
@click.option(
    "-j",
    "--jobs",
    type=click.IntRange(0),
    default=0,
    help="How many processes work on the files. [default: one a core]",
)
@click.pass_context
def lint(context: click.Context, /, paths: tuple[str, ...], **options: Any) -> None:
    """Read scripts and notebooks, and say what in them will kill the program. Without PATH, the folder you are in.

    \b
      outlive lint src/ train.ipynb
      outlive lint --diff .                     what --fix would change
      outlive lint --format sarif . > out.sarif

    Nothing is run or imported. A line is allowed with  # outlive: allow SLUG and the reason.  Settings: [tool.outlive.lint] in
    pyproject.toml (select, ignore, exclude, confidence). `outlive explain SLUG` is the manual page of a rule.
    Exit status: 0 nothing found, 1 findings or a file that cannot be read, 2 wrong usage, 3 Outlive failed.
    """
    from outlive.linting.command import lint as look

    context.exit(look(paths or (".",), **options))
