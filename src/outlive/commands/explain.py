"""`outlive explain`: the manual pages."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from outlive.commands.completing import all_units, complete_unit
from outlive.errors import UsageError
from outlive.showing import console_on
from outlive.unit import Unit


@click.command(short_help="The manual page of a cause of death, a check or a rule.")
@click.argument("slug", required=False, shell_complete=complete_unit)
@click.option("--json", "as_json", is_flag=True, help="The page as JSON.")
def explain(slug: str | None, as_json: bool) -> None:
    """Explain a cause of death, a check of `outlive doctor` or a rule of `outlive lint`: what it is, how Outlive knows, what to do. Without SLUG, list them all."""
    units = all_units()
    if slug is None:
        if as_json:
            print(json.dumps([_page(unit) for unit in units], indent=1))
            return
        for unit in units:
            print(f"{unit.slug:<24} {unit.headline}")
        return
    wanted = [unit for unit in units if slug in (unit.slug, unit.code)]
    if not wanted:
        raise UsageError(
            f"There is no cause, check or rule {slug!r}.", "`outlive explain` lists them."
        )
    if as_json:
        print(json.dumps(_page(wanted[0]), indent=1))
        return
    from rich.markdown import Markdown

    console = console_on(sys.stdout)
    console.print(Markdown(f"# {wanted[0].slug} ({wanted[0].code})\n\n{wanted[0].doc}"))


def _page(unit: Unit[Any]) -> dict[str, Any]:
    return {
        "slug": unit.slug,
        "code": unit.code,
        "since": unit.since,
        "needs": list(unit.needs),
        "prevents": list(unit.prevents),
        "page": unit.doc,
    }
