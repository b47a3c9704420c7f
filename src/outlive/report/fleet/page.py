"""The faults of a fleet as one self-contained page. Nothing in it runs, and no request leaves it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence

from outlive.report.fleet.groups import Group
from outlive.report.fleet.words import history, title
from outlive.report.job_page import document
from outlive.report.markup import Html, joined, lines, markup, prose

STYLE = """
.faults { list-style: none; padding: 0 } .faults > li { border-top: 1px solid currentColor; padding: .6rem 0 }
.faults h2 { margin: 0; font-size: 1.1rem } .faults p { margin: .2rem 0; overflow-wrap: anywhere }
"""


def fleet_page(groups: Sequence[Group], runs: int, now: float) -> Html:
    """The whole page, as one HTML document."""
    return document(f"{title(groups, runs)} · Outlive", _body(groups, runs, now), STYLE)


def _body(groups: Sequence[Group], runs: int, now: float) -> Iterable[Html]:
    made = time.strftime("%Y-%m-%d %H:%M", time.localtime(now))
    yield markup('<header><p class="run">Outlive · {}</p></header><main id="main">', made)
    yield markup("<h1>{}</h1>", title(groups, runs))
    told = joined(_fault(group, now) for group in groups)
    yield markup('<ol class="faults">{}</ol></main>', told)


def _fault(group: Group, now: float) -> Html:
    inside = f" in {group.function}" if group.function and group.function != "<module>" else ""
    at = f"{group.file}:{group.line}{inside}" if group.file else group.program
    return markup(
        "<li><h2>{} × <code>{}</code> {}</h2><p>{}</p>{}<p>{}</p><p>Last run {} · fingerprint {}</p></li>",
        group.times,
        group.cause or "cause unknown",
        at,
        prose(group.says),
        markup("<pre><code>{}</code></pre>", lines(group.code)) if group.code else markup(""),
        history(group, now),
        group.last_run,
        group.fingerprint,
    )
