"""What was found, for a person: the line, what is wrong with it, what to write instead."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from outlive.model.findings import Confidence, Finding
from outlive.report.text import visible
from outlive.source.lint.check import Told

COLOUR = {Confidence.PROVEN: "bold red", Confidence.LIKELY: "yellow", Confidence.POSSIBLE: "cyan"}
LONGEST_LINE = 160


def told_of(finding: Finding) -> Text:
    """Three to five lines."""
    place = finding.where
    text = Text()
    if place is not None:
        column = f":{place.column}" if place.column else ""
        text.append(f"{visible(str(place))}{column}", "bold")
        text.append("  ")
    text.append(visible(finding.says))
    text.append(
        f"  [{finding.confidence.name.lower()}: {finding.slug}]", COLOUR[finding.confidence]
    )
    if place is not None and place.code:
        code = place.code if len(place.code) <= LONGEST_LINE else f"{place.code[:LONGEST_LINE]}…"
        text.append(f"\n    {place.line:>4} │ ", "red")
        text.append(visible(code), "bold")
    for remedy in finding.remedies:
        text.append(f"\n    Fix  {visible(remedy.text)}", "green")
        for command in remedy.commands:
            text.append(f"\n         {command}", "bold")
    return text


def summary(told: Sequence[Told], *, fixing: bool) -> str:
    """The last line: how many, of what, and which option shows or does more."""
    found = sum(len(it.findings) for it in told)
    ours = sum(it.ours for it in told)
    files = (
        f"{_count(len(told), 'file')} checked, {ours} {'uses' if ours == 1 else 'use'} TensorFlow"
    )
    parts = [f"{_count(found, 'finding')} ({files})" if found else f"No findings ({files})"]
    mended = sum(it.mended for it in told)
    safe = sum(_can_be_mended(finding, safe=True) for it in told for finding in it.findings)
    unsafe = sum(_can_be_mended(finding, safe=False) for it in told for finding in it.findings)
    if mended:
        parts.append(f"{mended} fixed" if fixing else f"{mended} would be fixed")
    if safe:
        parts.append(f"{safe} fixable with --fix")
    if unsafe:
        parts.append(f"{unsafe} fixable with --unsafe-fixes (check the results)")
    hidden = sum(it.hidden for it in told)
    if hidden:
        noun = "finding" if hidden == 1 else "findings"
        parts.append(f"{hidden} low-confidence {noun} hidden: --confidence possible")
    unread = sum(bool(it.unread) for it in told)
    if unread:
        parts.append(f"{_count(unread, 'file')} could not be read")
    return "; ".join(parts) + "."


def unasked(count: int, why: str) -> str:
    """Say that shapes were not checked, and how they would be."""
    return f"{_count(count, 'question')} about shapes and types not answered: {why}. Name a Python that has TensorFlow: --python PATH."


def _can_be_mended(finding: Finding, *, safe: bool) -> bool:
    mends = [remedy.safe for remedy in finding.remedies if remedy.edits]
    return (True in mends) if safe else (bool(mends) and True not in mends)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
