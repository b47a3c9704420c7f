"""A verdict as a front end draws it in the cell that died: a card of HTML, its facts folded.

What a front end does with it differs, and was tried in each. One that trusts the output (JupyterLab and Notebook 7 for a cell that was just run, nbclassic) obeys the
style sheet. One that does not (JupyterLab for a notebook of somebody else's) takes the style sheet out and leaves classes and tags: then the same sheet comes
from the extension (``labextension``), and without it the plain tags are readable. Scripts are never needed. All colours are the front end's own, so that light and
dark need no second sheet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from outlive.jupyter.telling import memory_curve
from outlive.model.evidence import Evidence
from outlive.model.findings import Finding, Verdict
from outlive.report.headline import headline, name_of
from outlive.report.markup import Html, asset, joined, markup, prose
from outlive.report.terminal import neighbours_of
from outlive.report.text import SURE, UNKNOWN, said

#: The extension of JupyterLab loads it too.
STYLE_SHEET, STYLES = "card.css", "labextension/static"

#: More would be broken into two lines in a narrow notebook.
CURVE_CELLS = 32


def card(verdict: Verdict, evidence: Evidence, again: str) -> Html:
    """Draw the whole verdict."""
    name = name_of(evidence.run.program) if evidence.run.program.notebook else "the kernel"
    how = headline(verdict.ending, name)
    return joined(
        (
            markup("<style>{}</style>", asset(STYLE_SHEET, __package__, STYLES)),
            markup('<div class="outlive-card"><p class="outlive-how">{}</p>', _sentence(how)),
            *_cause(verdict, evidence),
            *_row("Next", again),
            *_memory(evidence),
            *_more(verdict),
            markup("</div>"),
        )
    )


def _cause(verdict: Verdict, evidence: Evidence) -> Iterable[Html]:
    cause = verdict.cause
    if cause is None:
        yield from _row("Why", UNKNOWN)
        return
    yield markup(
        '<p><span class="outlive-label">Why</span> <span>{} <em>({}: {})</em></span></p>',
        prose(cause.says),
        SURE[cause.confidence],
        cause.slug,
    )
    if cause.where is not None:
        function = cause.where.function if cause.where.function != "<module>" else ""
        yield markup(
            '<p><span class="outlive-label">Where</span> <span><strong>{}, line {}</strong>{}</span></p>',
            cause.where.file,
            cause.where.line,
            f" in {function}" if function else "",
        )
        around = neighbours_of(evidence)(cause.where) or [(cause.where.line, cause.where.code)]
        yield markup("<pre>{}</pre>", _listing(around, cause.where.line))
    for number, remedy in enumerate(cause.remedies):
        yield from _row("" if number else "Fix", remedy.text)
        if remedy.commands:
            yield markup("<pre>{}</pre>", joined(markup("{}\n", line) for line in remedy.commands))


def _listing(around: Sequence[tuple[int, str]], here: int) -> Html:
    digits = max(len(str(number)) for number, _ in around)
    rows = [(number == here, f"{number:>{digits}} │ {code}") for number, code in around]
    return joined(
        markup("<b>→ {}</b>\n", row) if marked else markup("  {}\n", row) for marked, row in rows
    )


def _memory(evidence: Evidence) -> Iterable[Html]:
    drawn = memory_curve(evidence, CURVE_CELLS)
    if drawn is not None:
        bars, words = drawn
        yield markup(
            '<p><span class="outlive-label">Memory</span> <span>{} <span class="outlive-curve">{}</span></span></p>',
            words,
            bars,
        )


def _more(verdict: Verdict) -> Iterable[Html]:
    """All else, folded."""
    facts = verdict.cause.because if verdict.cause else ()
    rows = [
        *((fact.name, f"{said(fact)} ({fact.source})") for fact in facts),
        *(("also", _also(finding)) for finding in verdict.findings[1:]),
        *((f"missing: {what}", why) for what, why in verdict.gaps.items()),
        ("more", f"In a cell: %load_ext outlive, then %why {verdict.run}"),
    ]
    words = f"{len(facts)} facts" if len(facts) > 1 else "Details"
    yield markup("<details><summary>{}, and where to read more</summary><table>", words)
    yield joined(markup("<tr><th>{}</th><td>{}</td></tr>", name, text) for name, text in rows)
    yield markup("</table></details>")


def _also(finding: Finding) -> str:
    where = f" ({finding.where})" if finding.where else ""
    return f"{finding.says}{where} ({SURE[finding.confidence]}: {finding.slug})"


def _row(label: str, text: str) -> Iterable[Html]:
    if text:
        yield markup(
            '<p><span class="outlive-label">{}</span> <span>{}</span></p>', label, prose(text)
        )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
