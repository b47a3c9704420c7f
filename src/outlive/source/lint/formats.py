"""What was found, for programs: JSON, SARIF and the commands of GitHub's workflows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from outlive import __version__
from outlive.model.findings import Confidence, Edit, Finding
from outlive.report.hooks.github import Level, Note, command_of
from outlive.source.lint.check import Told
from outlive.source.parsed import Source
from outlive.units.unit import Unit

SCHEMA = "outlive.lint/1"
SARIF = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {Confidence.PROVEN: "error", Confidence.LIKELY: "warning", Confidence.POSSIBLE: "note"}
GITHUB_LEVELS = {
    Confidence.PROVEN: Level.ERROR,
    Confidence.LIKELY: Level.WARNING,
    Confidence.POSSIBLE: Level.NOTICE,
}


def as_json(told: Sequence[Told], rules: Mapping[str, Unit[Source]], why_unasked: str = "") -> str:
    """One object: the findings, what could not be read, how many files."""
    data = {
        "schema": SCHEMA,
        "files": len(told),
        "with_tensorflow": sum(it.ours for it in told),
        "findings": [_finding(finding, rules) for it in told for finding in it.findings],
        "unread": [{"file": it.path, "why": why} for it in told for why in it.unread],
        "failures": [
            {"file": it.path, "rule": broken.slug, "error": broken.error}
            for it in told
            for broken in it.failures
        ],
        "allowed": sum(it.allowed for it in told),
        "less_sure": sum(it.hidden for it in told),
        "mended": sum(it.mended for it in told),
        "unasked": {"questions": sum(it.unasked for it in told), "why": why_unasked or None},
    }
    return _dumped(data)


def _finding(finding: Finding, rules: Mapping[str, Unit[Source]]) -> dict[str, Any]:
    place = finding.where
    unit = rules[finding.slug]
    return {
        "slug": finding.slug,
        "code": unit.code,
        "confidence": finding.confidence.name.lower(),
        "says": finding.says,
        "where": place
        and {
            "file": place.file,
            "cell": place.cell or None,
            "line": place.line,
            "column": place.column,
            "function": place.function,
            "code": place.code,
        },
        "because": [
            {"name": fact.name, "value": fact.value, "source": fact.source}
            for fact in finding.because
        ],
        "remedies": [
            {
                "text": remedy.text,
                "commands": list(remedy.commands),
                "safe": remedy.safe,
                "mends": bool(remedy.edits),
            }
            for remedy in finding.remedies
        ],
        "prevents": list(unit.prevents),
    }


def as_sarif(told: Sequence[Told], rules: Mapping[str, Unit[Source]]) -> str:
    """SARIF 2.1.0, as code scanning of GitHub, GitLab and others reads it."""
    used = sorted({finding.slug for it in told for finding in it.findings})
    place_of = {slug: number for number, slug in enumerate(used)}
    run = {
        "tool": {
            "driver": {
                "name": "outlive lint",
                "version": __version__,
                "rules": [_sarif_rule(rules[slug]) for slug in used],
            }
        },
        "columnKind": "unicodeCodePoints",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "results": [
            _sarif_result(finding, place_of, rules, it.edited_lines)
            for it in told
            for finding in it.findings
        ],
        "invocations": [
            {
                "executionSuccessful": not any(it.failures for it in told),
                "toolExecutionNotifications": [
                    {
                        "level": "warning",
                        "message": {"text": f"{it.path} could not be read: {why}"},
                        "locations": [
                            {"physicalLocation": {"artifactLocation": {"uri": _uri(it.path)}}}
                        ],
                    }
                    for it in told
                    for why in it.unread
                ],
            }
        ],
    }
    return _dumped({"$schema": SARIF, "version": "2.1.0", "runs": [run]})


def _sarif_rule(unit: Unit[Source]) -> dict[str, Any]:
    return {
        "id": unit.slug,
        "name": "".join(word.capitalize() for word in unit.slug.split("-")),
        "shortDescription": {"text": unit.headline},
        "help": {"text": unit.doc, "markdown": unit.doc},
        "properties": {"tags": ["tensorflow", *unit.prevents], "precision": "high"},
    }


def _sarif_result(
    finding: Finding,
    place_of: Mapping[str, int],
    rules: Mapping[str, Unit[Source]],
    lines: Mapping[int, str],
) -> dict[str, Any]:
    place = finding.where
    cell = f" (cell {place.cell})" if place and place.cell else ""
    result: dict[str, Any] = {
        "ruleId": finding.slug,
        "ruleIndex": place_of[finding.slug],
        "level": LEVELS[finding.confidence],
        "message": {"text": " ".join([finding.says + cell, *(it.text for it in finding.remedies)])},
        "properties": {
            "confidence": finding.confidence.name.lower(),
            "code": rules[finding.slug].code,
        },
    }
    if place is not None:
        region = {
            "startLine": place.line,
            "startColumn": max(1, place.column),
            "snippet": {"text": place.code},
        }
        location = {"artifactLocation": {"uri": _uri(place.file)}, "region": region}
        result["locations"] = [{"physicalLocation": location}]
        fixes = [] if place.cell else [it for it in finding.remedies if it.edits and it.safe]
        if fixes:
            result["fixes"] = [
                {
                    "description": {"text": remedy.text},
                    "artifactChanges": [
                        {
                            "artifactLocation": {"uri": _uri(place.file)},
                            "replacements": [_sarif_edit(edit, lines) for edit in remedy.edits],
                        }
                    ],
                }
                for remedy in fixes
            ]
    return result


def _sarif_edit(edit: Edit, lines: Mapping[int, str]) -> dict[str, Any]:
    return {
        "deletedRegion": {
            "startLine": edit.line,
            "startColumn": _letters(lines[edit.line], edit.column) + 1,
            "endLine": edit.end_line,
            "endColumn": _letters(lines[edit.end_line], edit.end_column) + 1,
        },
        "insertedContent": {"text": edit.text},
    }


def _letters(line: str, count: int) -> int:
    """Count the code points in the first bytes of a line."""
    return len(line.encode("utf-8", "surrogatepass")[:count].decode("utf-8", "surrogatepass"))


def notes_of(told: Sequence[Told]) -> list[Note]:
    """What is to be marked in a pull request."""
    notes = []
    for it in told:
        for finding in it.findings:
            place = finding.where
            cell = f"cell {place.cell}, line {place.line}: " if place and place.cell else ""
            says = " ".join([cell + finding.says, *(remedy.text for remedy in finding.remedies)])
            line, column = (place.line, place.column) if place and not place.cell else (0, 0)
            title = f"outlive lint: {finding.slug}"
            notes.append(
                Note(GITHUB_LEVELS[finding.confidence], title, says, it.path, line, column)
            )
        for why in it.unread:
            says = f"could not be read: {why}"
            notes.append(Note(Level.WARNING, "outlive lint: unreadable file", says, it.path))
    return notes


def as_github(told: Sequence[Told]) -> str:
    """One command of a GitHub workflow for each finding: it becomes a mark in the pull request."""
    return "".join(f"{command_of(note)}\n" for note in notes_of(told))


def _uri(path: str) -> str:
    from urllib.parse import quote

    return quote(path.replace("\\", "/"), errors="surrogateescape")


def _dumped(data: object) -> str:
    text = json.dumps(data, indent=1, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode() + "\n"
