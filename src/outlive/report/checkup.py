"""A checkup for a terminal, one screen, and as JSON."""

from __future__ import annotations

import json
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from outlive.model import Checked, Checkup, Finding, State
from outlive.report.data import grounds_and_remedies
from outlive.report.text import harmless, said
from outlive.report.workflow import Level, Note

SCHEMA = "outlive.checkup/1"
WORDS = {
    State.FINE: "fine",
    State.UNKNOWN: "could not tell",
    State.WARNING: "warning",
    State.WILL_FAIL: "will fail",
}
MARKS = {State.FINE: "✓", State.UNKNOWN: "?", State.WARNING: "!", State.WILL_FAIL: "✗"}
#: A terminal of 100 columns less the marks and names: what is fine takes one line.
FITS_A_LINE = 68
COLOURS = {
    State.FINE: "green",
    State.UNKNOWN: "cyan",
    State.WARNING: "yellow",
    State.WILL_FAIL: "bold red",
}


def render_checkup(checkup: Checkup, console: Console, *, facts: bool = False) -> None:
    """Print the table: one line for what is fine, the facts and the remedy for what is not."""
    checkup = harmless(checkup)
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for item in checkup.checked:
        for finding in item.findings:
            _add(table, item, finding, facts)
    for broken in checkup.failures:
        table.add_row(
            Text("?", "cyan"), Text(broken.slug), Text(f"the check itself failed: {broken.error}")
        )
    with console.capture() as captured:
        console.print(table, soft_wrap=False)
    lines = captured.get().splitlines()
    console.file.write("".join(f"{line.rstrip()}\n" for line in lines))
    console.print(_summary(checkup))


def _add(table: Table, item: Checked, finding: Finding, facts: bool) -> None:
    state = finding.state or State.UNKNOWN
    colour = COLOURS[state]
    bad = state >= State.WARNING
    told = Text(finding.says, "bold" if bad else "")
    if bad or facts:
        for fact in finding.because:
            told.append(f"\n{fact.name}: {said(fact.name, fact.value)}", "not bold")
            told.append(f"  {fact.source}", "dim not bold")
        for remedy in finding.remedies:
            told.append(f"\n→ {remedy.text}", "green not bold")
            for command in remedy.commands:
                told.append(f"\n    {command}", "not bold")
    elif finding.because and len(finding.says) + len(finding.because[0].source) < FITS_A_LINE:
        told.append(f"  {finding.because[0].source}", "dim")
    table.add_row(Text(MARKS[state], colour), Text(item.slug, colour if bad else ""), told)


def _summary(checkup: Checkup) -> Text:
    states = [
        finding.state or State.UNKNOWN for item in checkup.checked for finding in item.findings
    ]
    text = Text()
    for state in sorted(WORDS, reverse=True):
        count = states.count(state)
        if count:
            text.append(" · " if text else "")
            text.append(f"{count} {WORDS[state]}", COLOURS[state])
    text.append("   more: outlive explain CHECK", "dim")
    return text


def notes_of(checkup: Checkup) -> list[Note]:
    """What is wrong, for a workflow of GitHub's."""
    return [
        Note(
            Level.ERROR if finding.state is State.WILL_FAIL else Level.WARNING,
            f"outlive doctor: {item.slug}",
            " ".join([finding.says, *(remedy.text for remedy in finding.remedies)]),
        )
        for item in checkup.checked
        for finding in item.findings
        if (finding.state or State.UNKNOWN) >= State.WARNING
    ]


def checkup_to_data(checkup: Checkup) -> dict[str, Any]:
    """The same for programs."""
    return {
        "schema": SCHEMA,
        "checks": [
            {
                "check": item.slug,
                "code": item.code,
                "state": WORDS[item.state],
                "findings": [_finding(finding) for finding in item.findings],
            }
            for item in checkup.checked
        ],
        "failures": {broken.slug: broken.error for broken in checkup.failures},
    }


def checkup_to_json(checkup: Checkup) -> str:
    """One JSON object."""
    text = json.dumps(checkup_to_data(checkup), indent=1, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode()


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "state": WORDS[finding.state or State.UNKNOWN],
        "says": finding.says,
        **grounds_and_remedies(finding),
    }
