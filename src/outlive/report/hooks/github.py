"""Findings as a workflow of GitHub's shows them: commands that become marks in a pull request, and Markdown for the job's summary.

Whatever stands in a file name, a message or a line of source is shown as text: it must end neither a command nor a table.
"""

from __future__ import annotations

import enum
import html
import os
import re
from collections.abc import Sequence

from outlive.model.findings import EndingKind, Finding, Verdict
from outlive.model.quick_dataclass import dataclass
from outlive.report.headline import headline
from outlive.report.text import SURE, UNKNOWN, said, visible

#: A message longer than this is cut by GitHub, and helps nobody in a mark.
LONGEST = 4000

#: What Markdown would act upon. The rest is left alone: a backslash before every dot can be seen in the log.
MARKDOWN = re.compile(r"([\\`*_{}\[\]()#+!|~$@-])")


class Level(enum.Enum):
    """How loud a mark is."""

    ERROR = "error"
    WARNING = "warning"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class Note:
    """One thing to be marked, at a line if it has one."""

    level: Level
    title: str
    says: str
    file: str = ""  #: as GitHub knows it: below the checkout
    line: int = 0
    column: int = 0


def command_of(note: Note) -> str:
    """The workflow command that makes the mark: one line."""
    where = {"file": note.file} if note.file else {}
    where["title"] = note.title
    if note.file and note.line:
        where["line"] = str(note.line)
    if note.file and note.column:
        where["col"] = str(note.column)
    words = ",".join(f"{name}={_property(value)}" for name, value in where.items())
    return f"::{note.level.value} {words}::{_data(note.says[:LONGEST])}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def markdown(text: str) -> str:
    """A text of somebody's inside Markdown: shown, never acted upon, on one line."""
    return MARKDOWN.sub(r"\\\1", html.escape(visible(text), quote=False)).replace("\n", " ")


def code(text: str) -> str:
    """A text as code, with a fence that is longer than any in it."""
    text = visible(text)
    ticks = max((len(run) for run in re.findall(r"`+", text)), default=0) + 1
    blank = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{'`' * ticks}{blank}{text}{blank}{'`' * ticks}"


def _cell(text: str) -> str:
    """Code inside a table: a bar would end the cell, even there."""
    return f"<code>{html.escape(visible(text), quote=False).replace('|', '&#124;')}</code>"


def notes_of(verdict: Verdict, folder: str, checkout: str) -> list[Note]:
    """The mark of a death: at the line that an expert would name, if it lies in the checkout."""
    cause, ending = verdict.cause, verdict.ending
    level = Level.WARNING if ending.kind is EndingKind.SUCCESS else Level.ERROR
    ended = headline(ending)
    if cause is None:
        return [Note(level, "outlive", f"{ended[:1].upper()}{ended[1:]}. {UNKNOWN}")]
    place = cause.where
    file = below(checkout, folder, place.file) if place else ""
    outside = f"{place}: " if place and not file else ""
    says = " ".join([f"{outside}{cause.says}", *(remedy.text for remedy in cause.remedies)])
    title = f"outlive: {cause.slug} ({ended})"
    return [Note(level, title, says, file, place.line if place and file else 0)]


def below(checkout: str, folder: str, file: str) -> str:
    """The name of a file in the checkout; nothing for one that lies elsewhere, or is no file (``In [3]``)."""
    if not checkout or file.startswith(("In [", "<")):
        return ""
    path = os.path.normpath(os.path.join(folder, file))
    root = os.path.normpath(checkout)
    return os.path.relpath(path, root) if path.startswith(root + os.sep) else ""


def summary_of(verdict: Verdict, command: str) -> str:
    """The verdict for a job's summary."""
    parts = [f"### Outlive: {markdown(headline(verdict.ending))}", f"Command: {code(command)}"]
    if verdict.cause is None:
        parts.append(UNKNOWN)
    else:
        parts += _cause(verdict.cause)
    for finding in verdict.findings[1:]:
        parts.append(
            f"Also: {markdown(finding.says)} ({SURE[finding.confidence]}: {code(finding.slug)})"
        )
    for name, why in verdict.gaps.items():
        parts.append(f"Not available: {markdown(name)}: {markdown(why)}")
    return "\n\n".join(parts) + "\n"


def _cause(cause: Finding) -> list[str]:
    parts = [f"**{markdown(cause.says)}** ({SURE[cause.confidence]}: {code(cause.slug)})"]
    if cause.where is not None:
        text = f": {code(cause.where.code)}" if cause.where.code else ""
        parts.append(f"Where: {code(str(cause.where))}{text}")
    for remedy in cause.remedies:
        commands = "".join(f" {code(command)}" for command in remedy.commands)
        parts.append(f"- {markdown(remedy.text)}{commands}")
    if cause.because:
        rows = [
            f"| {markdown(fact.name)} | {_cell(said(fact))} | {_cell(fact.source)} |"
            for fact in cause.because
        ]
        parts.append("\n".join(["| fact | value | read from |", "|---|---|---|", *rows]))
    return parts


def table_of(heading: str, notes: Sequence[Note], most: int = 100) -> str:
    """Findings of lint, doctor or scan for a job's summary."""
    lines = [f"### {heading}", "", "| | where | what |", "|---|---|---|"]
    for note in notes[:most]:
        where = f"{note.file}:{note.line}" if note.line else note.file
        lines.append(
            f"| {note.level.value} | {_cell(where) if where else ''} "
            f"| **{markdown(note.title)}** {markdown(note.says)} |"
        )
    if len(notes) > most:
        lines += ["", f"… and {len(notes) - most} more."]
    return "\n".join(lines) + "\n"
