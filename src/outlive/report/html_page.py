"""One self-contained page about a run: no request leaves it, and nothing that the program said is ever run or drawn as markup.

Every text is escaped by construction (``markup``), its control characters shown. The scripts are named by their hashes in the page's own content
policy, so a browser refuses whatever else might look like one.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from outlive import __version__
from outlive.model.crash import NativeFrame
from outlive.model.fact_names import ADDRESS_SPACE_LIMIT
from outlive.model.findings import Confidence, EndingKind, Fact, Finding, Place, Remedy, size
from outlive.model.surroundings_at_death import TELLING_PACKAGES
from outlive.report.headline import headline, name_of
from outlive.report.markup import Html, asset, data, joined, lines, markup, prose
from outlive.report.story import Held, Story, environment
from outlive.report.text import SURE, UNKNOWN, said, visible
from outlive.report.threads import Thread
from outlive.source.rewrite import Rewriting

SCRIPTS = ("uPlot.iife.min.js", "page.js")
STYLES = ("uPlot.min.css", "page.css")

#: A limit this much above the highest use would flatten the curve: it is told in words.
LIMIT_IN_SIGHT = 3.0
TAIL_OF_STDERR = 6000
FEW_FRAMES = 2
OPENS = {Confidence.PROVEN: "proven", Confidence.LIKELY: "likely", Confidence.POSSIBLE: "possible"}


def page(story: Story) -> Html:
    """The whole page, as one HTML document."""
    scripts = [asset(name) for name in SCRIPTS]
    allowed = joined((markup("'sha256-{}'", _digest(script)) for script in scripts), " ")
    policy = markup(
        "default-src 'none'; style-src 'unsafe-inline'; script-src {}; img-src data:; base-uri 'none'; form-action 'none'",
        allowed,
    )
    title = f"{_title(story)} · Outlive"
    return joined(
        (
            markup('<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'),
            markup('<meta http-equiv="Content-Security-Policy" content="{}">', policy),
            markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
            markup('<meta name="color-scheme" content="light dark">'),
            markup("<title>{}</title>", title),
            *(markup("<style>{}</style>", asset(name)) for name in STYLES),
            markup("</head><body>"),
            *_body(story),
            markup(
                '<script type="application/json" id="curve-data">{}</script>', data(_curve(story))
            ),
            *(markup("<script>{}</script>", script) for script in scripts),
            markup("</body></html>\n"),
        )
    )


def _body(story: Story) -> Iterable[Html]:
    cause = story.verdict.cause
    yield markup('<a class="skip" href="#main">To the verdict</a>')
    yield markup('<header><p class="run">Outlive · run {}', story.verdict.run)
    yield markup(" · began {}</p>", story.began) if story.began else markup("</p>")
    yield markup('<button type="button" id="theme" aria-pressed="false">Dark</button></header>')
    parts = [part for part in _parts(story) if part.body]
    yield _contents(parts)
    yield markup('<main id="main" tabindex="-1">')
    yield markup(
        '<p class="ending {}">{}</p>',
        "good" if story.verdict.ending.kind is EndingKind.SUCCESS else "bad",
        _ending(story),
    )
    yield markup("<h1>{}</h1>", prose(_title(story)))
    if cause is not None:
        yield markup(
            '<p class="badges"><span class="badge {}">{}</span> ',
            OPENS[cause.confidence],
            SURE[cause.confidence],
        )
        yield markup("<code>{}</code></p>", cause.slug)
    for part in parts:
        yield markup(
            '<section aria-labelledby="{}"><h2 id="{}">{}</h2>{}</section>',
            part.id,
            part.id,
            part.title,
            part.body,
        )
    yield markup(
        "</main><footer>Made by Outlive {}. This page is self-contained and makes no network requests.</footer>",
        __version__,
    )


def _title(story: Story) -> str:
    cause = story.verdict.cause
    if cause is not None:
        return cause.says
    if story.verdict.ending.kind is EndingKind.SUCCESS:
        return "Nothing is wrong."
    return UNKNOWN


def _ending(story: Story) -> str:
    told = headline(story.verdict.ending, name_of(story.evidence.run.program))
    return f"The {told[4:]}." if told.startswith("the ") else f"{told}."  # not "Train.py"


class Part:
    """A section of the page; one without a body is left out."""

    def __init__(self, id: str, title: str, body: Iterable[Html]) -> None:
        self.id = id
        self.title = title
        self.body = joined(body)


def _parts(story: Story) -> Iterable[Part]:
    cause = story.verdict.cause
    if cause is not None:
        yield Part("where", "Where", [_source(cause.where, story.source)] if cause.where else ())
        yield Part("fix", "What to do", _remedies(cause.remedies, story.rewriting))
        yield Part(
            "because",
            "Because",
            [_fact_table(cause.because, "The facts behind the verdict, and their sources")],
        )
    yield Part("memory", "Memory over time", _memory(story))
    yield Part("held", "Who held memory", _held(story.held))
    yield Part("also", "Also found", _also((*story.verdict.findings[1:], *story.verdict.warnings)))
    yield Part("stacks", "Stacks", _stacks(story.threads))
    yield Part("words", "Last lines of stderr", _last_words(story.evidence.run.log))
    yield Part("ruled", "Ruled out", _ruled_out(story))
    yield Part("environment", "Environment", _environment(story))
    yield Part("facts", "All facts", _all_facts(story))


def _contents(parts: Sequence[Part]) -> Html:
    links = joined(markup('<li><a href="#{}">{}</a></li>', part.id, part.title) for part in parts)
    return markup('<nav aria-label="Parts of this page"><ul>{}</ul></nav>', links)


def _source(place: Place, around: Sequence[tuple[int, str]]) -> Html:
    inside = f" in {place.function}" if place.function and place.function != "<module>" else ""
    lines = around or ([(place.line, place.code)] if place.code else [])
    rows = joined(
        markup(
            '<tr{}><td class="number">{}</td><td><code>{}</code></td></tr>',
            " class=here" if number == place.line else "",
            number,
            text or " ",
        )
        for number, text in lines
    )
    if not lines:
        return markup(
            '<p class="place"><strong>{}</strong>{}</p><p>(The line itself could not be read.)</p>',
            str(place),
            inside,
        )
    listing = markup(
        '<table class="source"><caption class="unseen">Lines around {}; the marked line is the cause</caption>{}</table>',
        str(place),
        rows,
    )
    return markup('<p class="place"><strong>{}</strong>{}</p>{}', str(place), inside, listing)


def _remedies(remedies: Sequence[Remedy], rewriting: Rewriting | None = None) -> Iterable[Html]:
    if not remedies:
        return
    yield markup('<ol class="fixes">')
    for number, remedy in enumerate(remedies):
        commands = joined(_copyable(command, "this command") for command in remedy.commands)
        mine = rewriting is not None and rewriting.remedy == number
        yield markup(
            "<li>{}{}{}</li>",
            prose(remedy.text),
            commands,
            _rewriting(rewriting) if mine and rewriting else "",
        )
    yield markup("</ol>")


def _copyable(text: str, what: str) -> Html:
    return markup(
        '<div class="command"><pre tabindex="0"><code>{}</code></pre><button type="button" class="copy" aria-label="Copy {}">Copy</button></div>',
        lines(text),
        what,
    )


def _rewriting(found: Rewriting) -> Html:
    """The blamed line before and after: told by a sign and a word, not by colour alone."""
    rows = joined(
        markup(
            '<tr class="{}"><td class="number">{}</td><td class="sign"><span class="unseen">{}</span><span aria-hidden="true">{}</span></td><td><code>{}</code></td></tr>',
            "goes" if row.sign == "-" else "comes",
            row.number,
            "before" if row.sign == "-" else "after",
            row.sign,
            row.text,
        )
        for row in found.rows
    )
    return markup(
        '<table class="source diff"><caption>{}, before and after</caption>{}</table><div class="command copied"><pre class="unseen"><code>{}</code></pre><button type="button" class="copy" aria-label="Copy the lines as they should be">Copy the new lines</button></div>',
        found.file,
        rows,
        lines(found.after),
    )


def _memory(story: Story) -> Iterable[Html]:
    samples = story.evidence.run.samples
    if not samples:
        return
    highest = max(samples, key=lambda sample: sample.tree_rss_bytes)
    limits = [sample.limit_bytes for sample in samples if sample.limit_bytes]
    limit = f" The limit was {size(limits[-1])}." if limits else ""
    told = f"Peak: {size(highest.tree_rss_bytes)} after {highest.at:.1f} s.{limit}"
    yield markup(
        '<p>{}</p><figure><div id="curve" tabindex="0" role="img" aria-label="{}" aria-describedby="curve-help"></div>',
        told,
        told,
    )
    yield markup(
        '<figcaption id="curve-help">Move over the curve, or use the arrow keys, to see what was running. Drag to zoom in; '
    )
    yield markup(
        "double-click, or press Escape, to see all of it. + and - zoom at the cursor.</figcaption></figure>"
    )
    yield markup('<p id="running" class="running">&nbsp;</p>')
    if story.marks:
        yield markup(
            '<table class="marks"><caption class="unseen">Moments that are marked on the curve</caption><tbody>'
        )
        yield joined(
            markup('<tr><th scope="row">{:.1f} s</th><td>{}</td></tr>', at, label)
            for at, label in story.marks
        )
        yield markup("</tbody></table>")
    yield markup(
        "<noscript><p>The curve needs scripts; the table below has its values.</p></noscript><details><summary>The curve as a table</summary>"
    )
    yield markup(
        '<div class="wide"><table><caption class="unseen">Memory over time</caption><thead><tr><th scope="col">seconds</th><th scope="col">program and its children</th>'
    )
    yield markup('<th scope="col">cgroup</th><th scope="col">limit</th></tr></thead><tbody>')
    step = max(1, len(samples) // 200)
    for sample in samples[::step]:
        cells = (sample.tree_rss_bytes, sample.used_bytes, sample.limit_bytes)
        yield markup("<tr><td>{:.1f}</td>", sample.at)
        yield joined(
            markup("<td>{}</td>", size(cell) if cell is not None else "–") for cell in cells
        )
        yield markup("</tr>")
    yield markup("</tbody></table></div></details>")


def _curve(story: Story) -> dict[str, Any]:
    """What the script draws."""
    samples = [
        sample for sample in story.evidence.run.samples if sample.tree_rss_bytes
    ]  # none of a dead one
    peak = max((sample.tree_rss_bytes for sample in samples), default=0)
    space_limit = story.evidence.run.fact(ADDRESS_SPACE_LIMIT)
    limited = isinstance(space_limit, int)
    highest = max([peak, *(sample.vm_bytes for sample in samples if limited)])

    def in_sight(limit: int | None) -> int | None:
        return limit if limit and limit <= LIMIT_IN_SIGHT * highest else None

    return {
        "at": [sample.at for sample in samples],
        "program": [sample.tree_rss_bytes for sample in samples],
        "group": [sample.used_bytes for sample in samples],
        "limit": [in_sight(sample.limit_bytes) for sample in samples],
        "machine": [
            in_sight(sample.tree_rss_bytes + sample.available_bytes)
            if sample.available_bytes is not None
            else None
            for sample in samples
        ],
        "space": [sample.vm_bytes if limited else None for sample in samples],
        "space_limit": [
            in_sight(space_limit) if isinstance(space_limit, int) else None for _ in samples
        ],
        "marks": [[at, visible(label)] for at, label in story.marks],
        "running": [
            [moment.at, visible(f"{moment.place}  {moment.place.code}") if moment.place else ""]
            for moment in story.changes
        ],
    }


def _held(held: Sequence[Held]) -> Iterable[Html]:
    if not held:
        return
    most = max(one.bytes for one in held) or 1
    yield markup(
        "<p>At the last sample. What is in a container is also counted by its allocator: the rows overlap.</p>"
    )
    yield markup(
        '<div class="wide"><table><caption class="unseen">Containers, pipeline stages, tensors and native memory, the largest first</caption>'
    )
    yield markup(
        '<thead><tr><th scope="col">what</th><th scope="col">bytes</th><th scope="col">line</th><th scope="col">detail</th></tr></thead><tbody>'
    )
    for one in held:
        share = round(100 * one.bytes / most)
        yield markup(
            '<tr><th scope="row"><code>{}</code></th><td class="bar"><meter min="0" max="100" value="{}" aria-hidden="true"></meter> {}</td>',
            one.what,
            share,
            size(one.bytes),
        )
        yield markup("<td><code>{}</code></td><td>{}</td></tr>", one.where, one.detail)
    yield markup("</tbody></table></div>")


def _also(findings: Sequence[Finding]) -> Iterable[Html]:
    for finding in findings:
        where = f" ({finding.where})" if finding.where else ""
        yield markup(
            '<details><summary>{} <span class="badge {}">{}</span> ',
            prose(finding.says + where),
            OPENS[finding.confidence],
            SURE[finding.confidence],
        )
        yield markup("<code>{}</code></summary>", finding.slug)
        yield from _remedies(finding.remedies)
        yield _fact_table(finding.because, f"The facts behind {finding.slug}")
        yield markup("</details>")


def _stacks(threads: Sequence[Thread]) -> Iterable[Html]:
    for index, thread in enumerate(threads):
        when = f", seen after {thread.at:.1f} s" if thread.at is not None else ""
        at = f": {thread.own[0]}" if thread.own else ""
        yield markup(
            "<details{}><summary>{}</summary>",
            " open" if index == 0 else "",
            thread.name + when + at,
        )
        if thread.own:
            yield markup("<ol class='frames'>{}</ol>", joined(map(_frame, thread.own)))
        if thread.own == thread.frames:
            yield markup("</details>")
            continue
        native = any(isinstance(frame, NativeFrame) for frame in thread.frames)
        kinds = "Python and native" if native else "Python"
        yield markup(
            "<details{}><summary>The whole stack, {}, innermost first: {} frames</summary><ol class='frames'>",
            "" if thread.own else " open",
            kinds,
            len(thread.frames),
        )
        for package, frames in itertools.groupby(thread.frames, key=_library):
            yield from _frames(package, list(frames))
        yield markup("</ol>")
        if thread.beneath:
            yield markup(
                "<details><summary>{} native frames further out, between the Python frames</summary><ol class='frames'>",
                len(thread.beneath),
            )
            yield markup("{}</ol></details>", joined(map(_frame, thread.beneath)))
        yield markup("</details></details>")


def _library(frame: Place | NativeFrame) -> str:
    """The library that a frame lies in; nothing for a line of the program itself."""
    if isinstance(frame, NativeFrame):
        return f"native code of {frame.library or 'no file'}"
    return "" if frame.own else frame.package or "the standard library"


def _frame(frame: Place | NativeFrame) -> Html:
    if isinstance(frame, NativeFrame):
        return markup("<li class='library native'>{}</li>", str(frame))
    code = markup("<br><code>{}</code>", frame.code) if frame.code else ""
    kind = "own" if frame.own else "library"
    return markup(
        "<li class='{}'>{} <span>in {}</span>{}</li>", kind, str(frame), frame.function, code
    )


def _frames(package: str, frames: Sequence[Place | NativeFrame]) -> Iterable[Html]:
    """The program's own lines in full; a library's many are folded."""
    rows = map(_frame, frames)
    if not package or len(frames) <= FEW_FRAMES:
        yield from rows
        return
    innermost = frames[0].function
    named = f", innermost {innermost}" if innermost else ""
    yield markup(
        "<li class='library'><details><summary>{} frames in {}</summary><ol>",
        len(frames),
        package + named,
    )
    yield from rows
    yield markup("</ol></details></li>")


def _last_words(log: str) -> Iterable[Html]:
    if log.strip():
        text = log if len(log) <= TAIL_OF_STDERR else "…" + log[-TAIL_OF_STDERR:]
        yield markup(
            '<details><summary>Show</summary><pre class="log" tabindex="0">{}</pre></details>',
            lines(text),
        )


def _ruled_out(story: Story) -> Iterable[Html]:
    if not story.ruled_out:
        return
    yield markup(
        "<details><summary>{} causes were ruled out</summary><div class='wide'><table><caption class='unseen'>Causes without a finding</caption>",
        len(story.ruled_out),
    )
    yield markup(
        '<thead><tr><th scope="col">cause</th><th scope="col">what would have shown it</th></tr></thead><tbody>'
    )
    for one in story.ruled_out:
        still = (
            markup("<br><em>Cannot be ruled out completely: {}</em>", one.open) if one.open else ""
        )
        yield markup(
            "<tr><th scope='row'><code>{}</code><br>{}</th><td>{}{}</td></tr>",
            one.slug,
            one.headline,
            one.trace,
            still,
        )
    yield markup("</tbody></table></div></details>")


def _environment(story: Story) -> Iterable[Html]:
    facts = environment(story)
    if facts:
        yield _fact_table(facts, "What ran, and on which machine")
    packages = story.evidence.circumstances.setting.packages
    if packages.keys() - TELLING_PACKAGES:
        yield markup(
            "<details><summary>All {} packages installed there</summary><p class='packages'>",
            len(packages),
        )
        yield joined(
            (markup("{}&nbsp;{}", name, version) for name, version in sorted(packages.items())),
            ", ",
        )
        yield markup("</p></details>")


def _all_facts(story: Story) -> Iterable[Html]:
    yield markup("<details><summary>Facts and gaps</summary>")
    yield _fact_table(story.evidence.run.facts.values(), "All readings")
    gaps = {**story.evidence.run.gaps, **story.verdict.gaps}
    if gaps:
        yield markup("<h3>Not available</h3><dl>")
        yield joined(
            markup("<dt>{}</dt><dd>{}</dd>", name, why) for name, why in sorted(gaps.items())
        )
        yield markup("</dl>")
    yield markup("</details>")


def _fact_table(facts: Iterable[Fact], caption: str) -> Html:
    rows = joined(
        markup(
            "<tr><th scope='row'>{}</th><td>{}</td><td class='from'>{}</td></tr>",
            fact.name,
            said(fact),
            fact.source,
        )
        for fact in facts
    )
    head = markup(
        "<thead><tr><th scope='col'>fact</th><th scope='col'>value</th><th scope='col'>read from</th></tr></thead>"
    )
    return markup(
        "<div class='wide'><table class='facts'><caption class='unseen'>{}</caption>{}<tbody>{}</tbody></table></div>",
        caption,
        head,
        rows,
    )


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
