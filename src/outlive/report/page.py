"""One self-contained page about a run: no request leaves it, and nothing that the program said is ever run or drawn as markup.

Every text goes through ``_`` (escaped, control characters shown). The scripts are named by their hashes in the page's own content
policy, so a browser refuses whatever else might look like one.
"""

from __future__ import annotations

import base64
import hashlib
import html
import itertools
import json
import re
from collections.abc import Iterable, Sequence
from importlib import resources
from typing import Any

from outlive import __version__
from outlive.circumstances import TELLING_PACKAGES
from outlive.crash_site import NativeFrame
from outlive.model import Confidence, EndingKind, Fact, Finding, Place, Remedy, size
from outlive.report.story import Held, Story, environment
from outlive.report.text import BY, SURE, said, visible
from outlive.report.threads import Thread
from outlive.rewriting import Rewriting

ASSETS = "page_assets"
SCRIPTS = ("uPlot.iife.min.js", "page.js")
STYLES = ("uPlot.min.css", "page.css")

#: A limit this much above the highest use would flatten the curve: it is told in words.
LIMIT_IN_SIGHT = 3.0
TAIL_OF_STDERR = 6000
FEW_FRAMES = 2
#: What a sentence names as code; sought in text that is escaped already.
NAMED = re.compile("`([^`]+)`")
OPENS = {Confidence.PROVEN: "proven", Confidence.LIKELY: "likely", Confidence.POSSIBLE: "possible"}


def page(story: Story) -> str:
    """The whole page, as one HTML document."""
    scripts = [_asset(name) for name in SCRIPTS]
    allowed = " ".join(f"'sha256-{_digest(script)}'" for script in scripts)
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src {allowed}; img-src data:; base-uri 'none'; form-action 'none'"
    title = f"{_title(story)} · Outlive"
    data = json.dumps(_curve(story), ensure_ascii=True).replace("<", "\\u003c")
    return "".join(
        (
            '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{_(title)}</title>",
            *(f"<style>{_asset(name)}</style>" for name in STYLES),
            "</head><body>",
            *_body(story),
            f'<script type="application/json" id="curve-data">{data}</script>',
            *(f"<script>{script}</script>" for script in scripts),
            "</body></html>\n",
        )
    )


def _body(story: Story) -> Iterable[str]:
    cause = story.verdict.cause
    yield '<a class="skip" href="#main">To the verdict</a>'
    yield f'<header><p class="run">Outlive · run {_(story.verdict.run)}'
    yield f" · began {_(story.began)}</p>" if story.began else "</p>"
    yield '<button type="button" id="theme" aria-pressed="false">Dark</button></header>'
    parts = [part for part in _parts(story) if part.body]
    yield _contents(parts)
    yield '<main id="main" tabindex="-1">'
    yield f'<p class="ending {"good" if story.verdict.ending.kind is EndingKind.SUCCESS else "bad"}">{_(_ending(story))}</p>'
    yield f"<h1>{_prose(_title(story))}</h1>"
    if cause is not None:
        yield f'<p class="badges"><span class="badge {OPENS[cause.confidence]}">{SURE[cause.confidence]}</span> '
        yield f"<code>{_(cause.slug)}</code></p>"
    for part in parts:
        yield f'<section aria-labelledby="{part.id}"><h2 id="{part.id}">{_(part.title)}</h2>{part.body}</section>'
    yield f"</main><footer>Made by Outlive {_(__version__)}. This page holds everything it shows; it asks nothing of the network.</footer>"


def _title(story: Story) -> str:
    cause = story.verdict.cause
    if cause is not None:
        return cause.says
    if story.verdict.ending.kind is EndingKind.SUCCESS:
        return "Nothing is wrong."
    return "The cause is not known: nothing that was recorded decides it."


def _ending(story: Story) -> str:
    ending = story.verdict.ending
    told = " ".join(filter(None, [ending.detail or ending.kind.value, BY[ending.by]]))
    return (
        f"The program {told}" if told.startswith(("ended", "finished")) else f"The program: {told}"
    )


class Part:
    """A section of the page; one without a body is left out."""

    def __init__(self, id: str, title: str, body: Iterable[str]) -> None:
        self.id = id
        self.title = title
        self.body = "".join(body)


def _parts(story: Story) -> Iterable[Part]:
    cause = story.verdict.cause
    if cause is not None:
        yield Part("where", "Where", [_source(cause.where, story.source)] if cause.where else ())
        yield Part("fix", "What to do", _remedies(cause.remedies, story.rewriting))
        yield Part(
            "because",
            "Because",
            [_fact_table(cause.because, "The facts behind the verdict, and where each was read")],
        )
    yield Part("memory", "Memory over time", _memory(story))
    yield Part("held", "Who held memory", _held(story.held))
    yield Part("also", "Also found", _also(story.verdict.findings[1:]))
    yield Part("stacks", "Stacks", _stacks(story.threads))
    yield Part("words", "Last words on stderr", _last_words(story.evidence.log))
    yield Part("ruled", "What was ruled out", _ruled_out(story))
    yield Part("environment", "Environment", _environment(story))
    yield Part("facts", "All facts", _all_facts(story))


def _contents(parts: Sequence[Part]) -> str:
    links = "".join(f'<li><a href="#{part.id}">{_(part.title)}</a></li>' for part in parts)
    return f'<nav aria-label="Parts of this page"><ul>{links}</ul></nav>'


def _source(place: Place, around: Sequence[tuple[int, str]]) -> str:
    inside = f" in {place.function}" if place.function and place.function != "<module>" else ""
    lines = around or ([(place.line, place.code)] if place.code else [])
    rows = "".join(
        f'<tr{" class=here" if number == place.line else ""}><td class="number">{number}</td><td><code>{_(text) or " "}</code></td></tr>'
        for number, text in lines
    )
    if not lines:
        return f'<p class="place"><strong>{_(str(place))}</strong>{_(inside)}</p><p>(The line itself could not be read.)</p>'
    listing = f'<table class="source"><caption class="unseen">Lines around {_(str(place))}; the marked one is to blame</caption>{rows}</table>'
    return f'<p class="place"><strong>{_(str(place))}</strong>{_(inside)}</p>{listing}'


def _remedies(remedies: Sequence[Remedy], rewriting: Rewriting | None = None) -> Iterable[str]:
    if not remedies:
        return
    yield '<ol class="fixes">'
    for number, remedy in enumerate(remedies):
        commands = "".join(_copyable(command, "this command") for command in remedy.commands)
        mine = rewriting is not None and rewriting.remedy == number
        yield f"<li>{_prose(remedy.text)}{commands}{_rewriting(rewriting) if mine and rewriting else ''}</li>"
    yield "</ol>"


def _copyable(text: str, what: str) -> str:
    return (
        f'<div class="command"><pre tabindex="0"><code>{_lines(text)}</code></pre>'
        f'<button type="button" class="copy" aria-label="Copy {what}">Copy</button></div>'
    )


def _rewriting(found: Rewriting) -> str:
    """The blamed line before and after: told by a sign and a word, not by colour alone."""
    rows = "".join(
        f'<tr class="{"goes" if row.sign == "-" else "comes"}"><td class="number">{row.number}</td>'
        f'<td class="sign"><span class="unseen">{"before" if row.sign == "-" else "after"}</span><span aria-hidden="true">{row.sign}</span></td>'
        f"<td><code>{_(row.text)}</code></td></tr>"
        for row in found.rows
    )
    return (
        f'<table class="source diff"><caption>{_(found.file)}, before and after</caption>{rows}</table>'
        f'<div class="command copied"><pre class="unseen"><code>{_lines(found.after)}</code></pre>'
        '<button type="button" class="copy" aria-label="Copy the lines as they should be">Copy the new lines</button></div>'
    )


def _memory(story: Story) -> Iterable[str]:
    samples = story.evidence.samples
    if not samples:
        return
    highest = max(samples, key=lambda sample: sample.tree_rss_bytes)
    limits = [sample.limit_bytes for sample in samples if sample.limit_bytes]
    limit = f" The limit was {size(limits[-1])}." if limits else ""
    told = f"Highest use seen: {size(highest.tree_rss_bytes)} after {highest.at:.1f} s.{limit}"
    yield f'<p>{_(told)}</p><figure><div id="curve" tabindex="0" role="img" aria-label="{_(told)}" aria-describedby="curve-help"></div>'
    yield '<figcaption id="curve-help">Move over the curve, or use the arrow keys, to see what was running. Drag to zoom in; '
    yield "double-click, or press Escape, to see all of it. + and - zoom at the cursor.</figcaption></figure>"
    yield '<p id="running" class="running">&nbsp;</p>'
    if story.marks:
        yield '<table class="marks"><caption class="unseen">Moments that are marked on the curve</caption><tbody>'
        yield "".join(
            f'<tr><th scope="row">{at:.1f} s</th><td>{_(label)}</td></tr>'
            for at, label in story.marks
        )
        yield "</tbody></table>"
    yield "<noscript><p>The curve needs scripts; the table below has its values.</p></noscript><details><summary>The curve as a table</summary>"
    yield '<div class="wide"><table><caption class="unseen">Memory over time</caption><thead><tr><th scope="col">seconds</th><th scope="col">program and its children</th>'
    yield '<th scope="col">control group</th><th scope="col">limit</th></tr></thead><tbody>'
    step = max(1, len(samples) // 200)
    for sample in samples[::step]:
        cells = (sample.tree_rss_bytes, sample.used_bytes, sample.limit_bytes)
        yield f"<tr><td>{sample.at:.1f}</td>"
        yield "".join(f"<td>{size(cell) if cell is not None else '–'}</td>" for cell in cells)
        yield "</tr>"
    yield "</tbody></table></div></details>"


def _curve(story: Story) -> dict[str, Any]:
    """What the script draws."""
    samples = [
        sample for sample in story.evidence.samples if sample.tree_rss_bytes
    ]  # none of a dead one
    peak = max((sample.tree_rss_bytes for sample in samples), default=0)
    space_limit = story.evidence.fact("address space limit")
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


def _held(held: Sequence[Held]) -> Iterable[str]:
    if not held:
        return
    most = max(one.bytes for one in held) or 1
    yield "<p>When memory was last looked at. What lies in a container is in an allocator's figure too: the rows overlap.</p>"
    yield '<div class="wide"><table><caption class="unseen">Containers, pipeline stages, tensors and native memory, the largest first</caption>'
    yield '<thead><tr><th scope="col">what</th><th scope="col">bytes</th><th scope="col">line</th><th scope="col">detail</th></tr></thead><tbody>'
    for one in held:
        share = round(100 * one.bytes / most)
        yield f'<tr><th scope="row"><code>{_(one.what)}</code></th><td class="bar"><meter min="0" max="100" value="{share}" aria-hidden="true"></meter> {size(one.bytes)}</td>'
        yield f"<td><code>{_(one.where)}</code></td><td>{_(one.detail)}</td></tr>"
    yield "</tbody></table></div>"


def _also(findings: Sequence[Finding]) -> Iterable[str]:
    for finding in findings:
        where = f" ({finding.where})" if finding.where else ""
        yield f'<details><summary>{_prose(finding.says + where)} <span class="badge {OPENS[finding.confidence]}">{SURE[finding.confidence]}</span> '
        yield f"<code>{_(finding.slug)}</code></summary>"
        yield from _remedies(finding.remedies)
        yield _fact_table(finding.because, f"The facts behind {finding.slug}")
        yield "</details>"


def _stacks(threads: Sequence[Thread]) -> Iterable[str]:
    for index, thread in enumerate(threads):
        when = f", seen after {thread.at:.1f} s" if thread.at is not None else ""
        at = f": {thread.own[0]}" if thread.own else ""
        yield f"<details{' open' if index == 0 else ''}><summary>{_(thread.name + when + at)}</summary>"
        if thread.own:
            yield "<ol class='frames'>" + "".join(map(_frame, thread.own)) + "</ol>"
        if thread.own == thread.frames:
            yield "</details>"
            continue
        native = any(isinstance(frame, NativeFrame) for frame in thread.frames)
        kinds = "Python and native" if native else "Python"
        yield f"<details{'' if thread.own else ' open'}><summary>The whole stack, {kinds}, innermost first: {len(thread.frames)} frames</summary><ol class='frames'>"
        for package, frames in itertools.groupby(thread.frames, key=_library):
            yield from _frames(package, list(frames))
        yield "</ol>"
        if thread.beneath:
            yield f"<details><summary>{len(thread.beneath)} native frames further out, between the Python frames</summary><ol class='frames'>"
            yield "".join(map(_frame, thread.beneath)) + "</ol></details>"
        yield "</details></details>"


def _library(frame: Place | NativeFrame) -> str:
    """The library that a frame lies in; nothing for a line of the program itself."""
    if isinstance(frame, NativeFrame):
        return f"native code of {frame.library or 'no file'}"
    return "" if frame.own else frame.package or "the standard library"


def _frame(frame: Place | NativeFrame) -> str:
    if isinstance(frame, NativeFrame):
        return f"<li class='library native'>{_(str(frame))}</li>"
    code = f"<br><code>{_(frame.code)}</code>" if frame.code else ""
    kind = "own" if frame.own else "library"
    return f"<li class='{kind}'>{_(str(frame))} <span>in {_(frame.function)}</span>{code}</li>"


def _frames(package: str, frames: Sequence[Place | NativeFrame]) -> Iterable[str]:
    """The program's own lines in full; a library's many are folded."""
    rows = map(_frame, frames)
    if not package or len(frames) <= FEW_FRAMES:
        yield from rows
        return
    innermost = frames[0].function
    named = f", innermost {innermost}" if innermost else ""
    yield f"<li class='library'><details><summary>{len(frames)} frames in {_(package + named)}</summary><ol>"
    yield from rows
    yield "</ol></details></li>"


def _last_words(log: str) -> Iterable[str]:
    if log.strip():
        text = log if len(log) <= TAIL_OF_STDERR else "…" + log[-TAIL_OF_STDERR:]
        yield f'<details><summary>Show</summary><pre class="log" tabindex="0">{_lines(text)}</pre></details>'


def _ruled_out(story: Story) -> Iterable[str]:
    if not story.ruled_out:
        return
    yield f"<details><summary>{len(story.ruled_out)} causes left no trace</summary><div class='wide'><table><caption class='unseen'>Causes without a finding</caption>"
    yield '<thead><tr><th scope="col">cause</th><th scope="col">what would have shown it</th></tr></thead><tbody>'
    for one in story.ruled_out:
        still = f"<br><em>Cannot be ruled out for good: {_(one.open)}</em>" if one.open else ""
        yield f"<tr><th scope='row'><code>{_(one.slug)}</code><br>{_(one.headline)}</th><td>{_(one.trace)}{still}</td></tr>"
    yield "</tbody></table></div></details>"


def _environment(story: Story) -> Iterable[str]:
    facts = environment(story)
    if facts:
        yield _fact_table(facts, "What was run, and on what")
    packages = story.evidence.circumstances.setting.packages
    if packages.keys() - TELLING_PACKAGES:
        yield f"<details><summary>All {len(packages)} packages that are installed there</summary><p class='packages'>"
        yield ", ".join(
            f"{_(name)}&nbsp;{_(version)}" for name, version in sorted(packages.items())
        )
        yield "</p></details>"


def _all_facts(story: Story) -> Iterable[str]:
    yield "<details><summary>Facts and gaps</summary>"
    yield _fact_table(story.evidence.facts.values(), "Everything that was read")
    gaps = {**story.evidence.gaps, **story.verdict.gaps}
    if gaps:
        yield "<h3>What could not be read</h3><dl>"
        yield "".join(f"<dt>{_(name)}</dt><dd>{_(why)}</dd>" for name, why in sorted(gaps.items()))
        yield "</dl>"
    yield "</details>"


def _fact_table(facts: Iterable[Fact], caption: str) -> str:
    rows = "".join(
        f"<tr><th scope='row'>{_(fact.name)}</th><td>{_(said(fact.name, fact.value))}</td><td class='from'>{_(fact.source)}</td></tr>"
        for fact in facts
    )
    head = "<thead><tr><th scope='col'>fact</th><th scope='col'>value</th><th scope='col'>read from</th></tr></thead>"
    return f"<div class='wide'><table class='facts'><caption class='unseen'>{_(caption)}</caption>{head}<tbody>{rows}</tbody></table></div>"


def _(text: str) -> str:
    """A text of unknown origin, to be shown and never obeyed."""
    return html.escape(visible(text), quote=True)


def _prose(text: str) -> str:
    """A sentence; what it names in backquotes is code."""
    return NAMED.sub(r"<code>\1</code>", _(text))


def _lines(text: str) -> str:
    return "\n".join(_(line) for line in text.splitlines())


def _asset(name: str) -> str:
    return (resources.files(__package__) / ASSETS / name).read_text(encoding="utf-8")


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
