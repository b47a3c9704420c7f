"""A checkup for a terminal, and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from outlive.model.findings import Checked, Checkup, Finding, State
from outlive.model.verdict_json import grounds_and_remedies
from outlive.report.hooks.github import Level, Note
from outlive.report.text import harmless, said

SCHEMA = "outlive.checkup/1"
WORDS = {
    State.FINE: "fine",
    State.UNKNOWN: "could not check",
    State.WARNING: "warning",
    State.WILL_FAIL: "will fail",
}
MARKS = {State.FINE: "✓", State.UNKNOWN: "?", State.WARNING: "!", State.WILL_FAIL: "✗"}
#: As the last line counts them.
COUNTED = WORDS | {State.FINE: "passed", State.UNKNOWN: "could not be checked"}
#: The check whose good news is the answer to the command's question.
IMPORT_CHECK = "tensorflow-dies-at-import"
COLOURS = {
    State.FINE: "green",
    State.UNKNOWN: "cyan",
    State.WARNING: "yellow",
    State.WILL_FAIL: "bold red",
}


def render_checkup(
    checkup: Checkup, console: Console, *, passed: bool = False, facts: bool = False
) -> None:
    """Print what is not fine, with facts and remedy; what is fine in one line, or with ``passed`` in one line each, first."""
    checkup = harmless(checkup)
    told = [(item, finding) for item in checkup.checked for finding in item.findings]
    told.sort(
        key=lambda pair: pair[1].state or State.UNKNOWN
    )  # the worst ends up beside the prompt
    with console.capture() as captured:
        for item, finding in told:
            if passed or _state(finding) is not State.FINE:
                _print(console, item, finding, facts)
        for broken in checkup.failures:
            words = Text(f"{broken.slug}: Internal error: the check failed: {broken.error}")
            console.print(_hanging(MARKS[State.UNKNOWN], words, "cyan"))
        console.print(_summary(checkup, [_state(finding) for _, finding in told], passed))
    lines = captured.get().splitlines()
    console.file.write("".join(f"{line.rstrip()}\n" for line in lines))
    console.file.flush()


def _state(finding: Finding) -> State:
    return finding.state or State.UNKNOWN


def _hanging(mark: str, words: Text, colour: str) -> Table:
    """A mark, and text that stays to the right of it on every row."""
    table = Table.grid(padding=(0, 1))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row(Text(mark, colour), words)
    return table


def _print(console: Console, item: Checked, finding: Finding, facts: bool) -> None:
    state = _state(finding)
    bad = state >= State.WARNING
    if state is State.FINE:  # the good news first: a check has the name of the bad thing
        words = Text(finding.says).append(f"  {item.slug}", "dim")
    else:
        words = Text(item.slug, COLOURS[state]).append(": ", "not bold")
        words.append(finding.says, "bold" if bad else "")
    if not (bad or facts):
        console.print(_hanging(MARKS[state], words, COLOURS[state]))
        return
    for fact in finding.because:
        words.append(f"\n{fact.name}: {said(fact)}", "not bold")
        words.append(f"  {fact.source}", "dim not bold")
    console.print(_hanging(MARKS[state], words, COLOURS[state]))
    for remedy in finding.remedies:
        console.print(_hanging(" ", Text(f"→ {remedy.text}", "green"), ""))
        for command in remedy.commands:  # whole, however wide: it is there to be copied
            console.print(Text(f"      {command}"), soft_wrap=True)


def _summary(checkup: Checkup, states: Sequence[State], passed: bool) -> Text:
    fine = states.count(State.FINE)
    if fine == len(states) and fine and not checkup.failures:
        return _all_well(checkup, fine, passed)
    counts = Text(" · ").join(
        Text(f"{states.count(state)} {COUNTED[state]}", COLOURS[state])
        for state in sorted(COUNTED, reverse=True)
        if state in states
    )
    listed = "" if passed or not fine else "outlive doctor -v · "
    return counts.append(f"   more: {listed}outlive explain CHECK", "dim")


def _all_well(checkup: Checkup, fine: int, passed: bool) -> Text:
    """Say what people want to know first: that TensorFlow imports, if that was tried."""
    imports = [
        finding.says
        for item in checkup.checked
        for finding in item.findings
        if item.slug == IMPORT_CHECK
    ]
    checks = "The check passed." if fine == 1 else f"All {fine} checks passed."
    words = " ".join([*(imports if not passed else ()), checks])
    text = Text(f"{MARKS[State.FINE]} ", "green").append(words, "default")
    return text if passed else text.append("  List: -v", "dim")


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
    """Write a checkup as one JSON object."""
    text = json.dumps(checkup_to_data(checkup), indent=1, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode()


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "state": WORDS[finding.state or State.UNKNOWN],
        "says": finding.says,
        **grounds_and_remedies(finding),
    }
