"""One file and the rules: text in, findings out."""

from __future__ import annotations

import functools
import io
import tokenize
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING

from outlive.model.findings import Confidence, Finding, UnitFailure
from outlive.model.quick_dataclass import dataclass
from outlive.source.lint.fix import mended
from outlive.source.lint.settings import Answering, Settings
from outlive.source.parsed import OURS, Source
from outlive.units.unit import Unit, discover, rule

if TYPE_CHECKING:  # a file without a tensor needs none of it
    from outlive.source.dry_run.questions import Oracle

#: A larger file was made by a program.
LARGEST_BYTES = 5_000_000
#: A notebook holds its pictures, too.
LARGEST_NOTEBOOK_BYTES = 200_000_000

CELL = "cell "


@dataclass(frozen=True, slots=True)
class Told:
    """What is to be said of one file."""

    path: str
    findings: tuple[Finding, ...] = ()
    unread: tuple[str, ...] = ()  #: why the file, or a cell of it, could not be read
    failures: tuple[UnitFailure, ...] = ()
    ours: bool = False  #: whether TensorFlow is in it at all
    hidden: int = 0  #: findings that are less sure than asked for
    allowed: int = 0
    unasked: int = 0  #: questions about shapes and types to which nobody knew the answer
    mended: int = 0
    text: str = field(default="", repr=False)  #: as it was, when something was mended
    mended_text: str = field(default="", repr=False)
    #: Of each line on which an edit begins or ends, by its number: who counts other columns than bytes needs the text.
    edited_lines: Mapping[int, str] = field(default_factory=dict, repr=False)
    encoding: str = "utf-8"

    @property
    def whole_unread(self) -> bool:
        """Tell whether nothing of a file could be read; of a notebook, one cell that is not Python leaves the others."""
        return any(not why.startswith(CELL) for why in self.unread)


@functools.cache
def every_rule() -> tuple[Unit[Source], ...]:
    """All rules, looked up once in a process."""
    return discover(rule)


def look_at(path: str, settings: Settings) -> Told:
    """Read a file and ask the rules of it. Whatever the file is, nothing is raised."""
    try:
        with open(path, "rb") as file:
            most = LARGEST_NOTEBOOK_BYTES if path.endswith(".ipynb") else LARGEST_BYTES
            data = file.read(most + 1)
        if len(data) > most:
            return Told(path, unread=(f"it is larger than {most // 1_000_000} MB",))
        encoding = tokenize.detect_encoding(io.BytesIO(data).readline)[0]
        text = data.decode(encoding)
    except OSError as error:
        return Told(path, unread=(error.strerror or str(error),))
    except (SyntaxError, UnicodeError, LookupError) as error:
        return Told(path, unread=(f"its declared encoding is wrong: {error}",))
    told = judge(path, text, settings)
    if settings.mend is not None and told.findings:
        told = _with_mends(told, text, settings)
    return replace(told, encoding=encoding)


def judge(path: str, text: str, settings: Settings) -> Told:
    """The findings of one text, in the order of its lines."""
    if not OURS.search(text):
        return Told(path)
    asked = [
        unit
        for unit in _wanted(settings)
        if not unit.needs or any(word in text for word in unit.needs)
    ]
    if not asked:
        return Told(path, ours=True)
    try:
        source = Source(path, text, settings.machine, oracle=_oracle(settings))
    except SyntaxError as error:
        return Told(path, unread=(f"line {error.lineno}: {error.msg}",), ours=True)
    except (ValueError, RecursionError, MemoryError) as error:
        return Told(path, unread=(f"{type(error).__name__}: {error}",), ours=True)
    if not source.uses_tensorflow:
        return Told(path)
    findings, failures, unread = _ask(source, asked)
    kept = [finding for finding in findings if not source.allows(finding.slug, finding.where)]
    sure = [finding for finding in kept if finding.confidence >= settings.confidence]
    return Told(
        path,
        tuple(sure),
        unread=(*_cells_unread(source), *unread),
        failures=tuple(failures),
        ours=True,
        hidden=len(kept) - len(sure),
        allowed=len(findings) - len(kept),
        unasked=source.unasked,
        edited_lines=_edited_lines(source, sure),
    )


def _oracle(settings: Settings) -> Oracle | None:
    """Who answers this file's questions."""
    if settings.answers is Answering.NOBODY:
        return None
    from outlive.source.lint.oracle import answers_of  # only a file with TensorFlow needs it

    oracle = answers_of(settings.python)
    oracle.may_start = settings.answers is Answering.TENSORFLOW
    return oracle


def _edited_lines(source: Source, findings: Iterable[Finding]) -> dict[int, str]:
    edits = [edit for it in findings for remedy in it.remedies for edit in remedy.edits]
    numbers = {number for edit in edits for number in (edit.line, edit.end_line)}
    return {number: source.lines[number - 1] for number in numbers}


def _wanted(settings: Settings) -> Iterator[Unit[Source]]:
    return (unit for unit in every_rule() if unit.slug in settings.rules)


def _ask(
    source: Source, units: Sequence[Unit[Source]]
) -> tuple[list[Finding], list[UnitFailure], list[str]]:
    findings: list[Finding] = []
    failures: list[UnitFailure] = []
    unread: list[str] = []
    for unit in units:
        try:
            findings += [replace(finding, slug=unit.slug) for finding in unit.ask(source)]
        except RecursionError:
            unread.append(f"too deeply nested for {unit.slug}")
        except Exception as error:  # a broken rule is reported and hides nobody else's finding
            failures.append(UnitFailure(unit.slug, f"{type(error).__name__}: {error}"))
    return sorted(_most_special(units, findings), key=_position), failures, unread


def _most_special(units: Iterable[Unit[Source]], findings: Iterable[Finding]) -> set[Finding]:
    """Leave out what a more special rule says of the same line in better words."""
    behind = {unit.slug: unit.behind for unit in units}
    told = {
        (general, finding.where)
        for finding in findings
        for general in behind[finding.slug]
        if finding.confidence >= Confidence.LIKELY
    }
    lines = {(slug, where.line) for slug, where in told if where is not None}
    return {it for it in findings if it.where is None or (it.slug, it.where.line) not in lines}


def _position(finding: Finding) -> tuple[int, int, int, str]:
    place = finding.where
    return (
        (place.cell, place.line, place.column, finding.slug) if place else (0, 0, 0, finding.slug)
    )


def _cells_unread(source: Source) -> tuple[str, ...]:
    unread = source.cells.unread if source.cells else {}
    return tuple(f"{CELL}{number}: {why}" for number, why in sorted(unread.items()))


def _with_mends(told: Told, text: str, settings: Settings) -> Told:
    """The text after all mends that are allowed, and what is still to be said of it."""

    def findings_in(now: str) -> Sequence[Finding]:
        return judge(told.path, now, settings).findings

    safe_only = settings.mend is not None and settings.mend > 1
    after, count = mended(told.path, text, findings_in, safe_only=safe_only)
    if not count:
        return told
    left = judge(told.path, after, settings)
    return replace(left, mended=count, text=text, mended_text=after)
