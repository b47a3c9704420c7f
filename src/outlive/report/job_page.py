"""The verdict on a job as one self-contained page: its ranks side by side. Nothing in it runs, and no request leaves it."""

from __future__ import annotations

import time
from collections.abc import Iterable

from outlive import __version__
from outlive.model.ranks.job import JobVerdict, Part, RankVerdict
from outlive.report.job_screen import WORDS, job_headline
from outlive.report.markup import Html, asset, joined, lines, markup, prose
from outlive.report.text import SURE

#: What no page of these needs: scripts, pictures, requests.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

#: Beside what all pages look like: the ranks stand side by side where there is room for them.
STYLE = """
.ranks { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr)); gap: .8rem; padding: 0; list-style: none }
.ranks > li { border: 1px solid currentColor; border-radius: .5rem; padding: .7rem .9rem; overflow-wrap: anywhere }
.ranks > li.first { border-width: 3px }
.ranks h3 { margin: 0 } .ranks p { margin: .3rem 0 }
"""


def job_page(verdict: JobVerdict) -> Html:
    """The whole page, as one HTML document."""
    return document(f"{job_headline(verdict)} · Outlive", _body(verdict), STYLE)


def document(title: str, body: Iterable[Html], style: str = "") -> Html:
    """A page without scripts, in the colours of all of Outlive's pages; ``style`` is text of the source."""
    return joined(
        (
            markup('<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'),
            markup('<meta http-equiv="Content-Security-Policy" content="{}">', POLICY),
            markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
            markup('<meta name="color-scheme" content="light dark">'),
            markup("<title>{}</title>", title),
            markup("<style>{}</style>", asset("page.css")),
            markup("<style>{}</style>", style),
            markup("</head><body>"),
            *body,
            markup(
                "<footer>Made by Outlive {}. This page is self-contained and makes no network requests.</footer></body></html>\n",
                __version__,
            ),
        )
    )


def _body(verdict: JobVerdict) -> Iterable[Html]:
    yield markup(
        '<header><p class="run">Outlive · job {}</p></header><main id="main">', verdict.job
    )
    yield markup("<h1>{}</h1>", job_headline(verdict))
    if verdict.first is not None:
        yield markup("<p>{}</p>", prose(verdict.first.says))
    if verdict.how:
        told = joined(markup("<li>{}</li>", prose(sentence)) for sentence in verdict.how)
        yield markup("<section><h2>How one can tell</h2><ul>{}</ul></section>", told)
    ranks = joined(_rank(it) for it in verdict.ranks)
    yield markup('<section><h2>Ranks</h2><ul class="ranks">{}</ul></section></main>', ranks)


def _rank(it: RankVerdict) -> Html:
    record = it.record
    cause = record.cause
    badge = markup("<p><code>{}</code> ({})</p>", cause.slug, SURE[cause.confidence]) if cause else markup("")  # fmt: skip
    return markup(
        '<li class="{}"><h3>{}</h3><p><strong>{}</strong>{}</p><p>{}</p>{}{}<p>{}</p></li>',
        "first" if it.part is Part.FIRST else "other",
        record.words,
        WORDS[it.part],
        f" · {record.host}" if record.host else "",
        prose(it.says),
        badge,
        _line(it),
        _when(it),
    )


def _line(it: RankVerdict) -> Html:
    place = it.where
    if place is None:
        return markup("")
    inside = f" in {place.function}" if place.function and place.function != "<module>" else ""
    return markup("<p>{}{}</p><pre><code>{}</code></pre>", str(place), inside, lines(place.code))


def _when(it: RankVerdict) -> str:
    record = it.record
    began, ended = (
        time.strftime("%H:%M:%S", time.localtime(moment)) if moment else "?"
        for moment in (record.began, record.ended)
    )
    return f"run {record.run}, {began} to {ended}" if record.run else "no record"
