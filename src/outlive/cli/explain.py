"""`outlive explain`: the manual pages."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import click

from outlive.cli.complete_names import all_units, complete_unit
from outlive.errors import UsageError
from outlive.report.terminal import console_on
from outlive.units.unit import AnyUnit


@click.command(
    short_help="Show the manual page of a cause of death, a check, a rule, a remedy or a watch."
)
@click.argument("words", metavar="[SLUG|WORDS]...", nargs=-1, shell_complete=complete_unit)
@click.option("--json", "as_json", is_flag=True, help="Print the page as JSON.")
def explain(words: tuple[str, ...], as_json: bool) -> None:
    """Explain a cause of death, a check of `outlive doctor`, a rule of `outlive lint`, a remedy of `outlive run --heal` or a watch of a running program: what it is, how Outlive knows, what to do. Without SLUG, list them all.

    With other words, a message or an exit status, find the pages that explain them:

    \b
      outlive explain exit code 137
      outlive explain "Canceled future for execute_request"
    """
    units = all_units()
    slug = " ".join(words)
    if not slug:
        if as_json:
            print(json.dumps([_page(unit) for unit in units], indent=1))
            return
        for unit in units:
            print(f"{unit.slug:<24} {unit.headline}")
        return
    wanted = [unit for unit in units if slug in (unit.slug, unit.code)]
    if not wanted:
        _find(slug, units, as_json)
        return
    if as_json:
        print(json.dumps(_page(wanted[0]), indent=1))
        return
    from rich.markdown import Markdown

    console = console_on(sys.stdout)
    console.print(Markdown(f"# {wanted[0].slug} ({wanted[0].code})\n\n{wanted[0].doc}"))


def _find(query: str, units: Sequence[AnyUnit], as_json: bool) -> None:
    """The pages that the words lead to. A single word that nobody searches for is a mistyped name."""
    from outlive.units.search import everything, find, is_searched_by, knows, symptoms

    found = find(query, everything(units))
    if not found or (len(query.split()) == 1 and not any(knows(page, query) for page in found)):
        raise UsageError(
            f"There is no cause, check, rule, remedy or watch {query!r}.",
            f"Did you mean {found[0].name}? `outlive explain` lists them all."
            if found
            else "`outlive explain` lists them.",
        )
    if as_json:
        print(json.dumps([{"slug": page.name, "title": page.title} for page in found], indent=1))
        return
    overviews = {symptom.slug: symptom for symptom in symptoms(units)}
    symptom = overviews.get(found[0].name)
    if symptom is not None:
        from rich.markdown import Markdown

        console_on(sys.stdout).print(Markdown(f"**{symptom.phrase}.** {symptom.says}"))
        print()
        fitting = [unit for unit in units if is_searched_by(unit, symptom.phrase)]
        named = sorted(fitting, key=lambda unit: unit.code)
    else:
        named = [unit for page in found for unit in units if unit.slug == page.name]
    for unit in named:
        print(f"{unit.slug:<24} {unit.headline}")


def _page(unit: AnyUnit) -> dict[str, Any]:
    return {
        "slug": unit.slug,
        "code": unit.code,
        "since": unit.since,
        "needs": list(unit.needs),
        "prevents": list(unit.prevents),
        "heals": list(unit.heals),
        "searched": list(unit.searched),
        "page": unit.doc,
    }
