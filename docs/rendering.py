"""Markdown and pages: headings that can be linked to, links that stay inside the manual, a frame with navigation and search."""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Mapping
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from outlive import __version__

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

#: Pages that are named beside every page, in groups.
NAVIGATION = {
    "Start": (("index", "Home"), ("tutorials", "Tutorials"), ("commands", "Commands")),
    "Manual": (
        ("reading-a-verdict", "Reading a verdict"),
        ("in-jupyter", "Notebooks"),
        ("fixing", "Fixing"),
        ("staying-alive", "Staying alive"),
        ("going-on", "Recovering"),
        ("detecting", "Detecting objects"),
        ("many-machines", "Many machines"),
        ("doctor", "Doctor"),
        ("lint", "Lint"),
        ("scanning", "Scanning data"),
        ("in-teams", "In teams"),
        ("exit-codes", "Exit codes"),
    ),
    "Look up": (
        ("causes", "Causes of death"),
        ("symptoms", "Symptoms"),
        ("checks", "Checks"),
        ("rules", "Rules"),
        ("remedies", "Remedies"),
        ("watches", "Watches"),
        ("reference", "Reference"),
        ("search", "Index"),
    ),
    "Trust": (
        ("what-is-inside", "What is inside"),
        ("trust", "Reliability"),
        ("figures", "Figures"),
        ("scale", "Scale"),
    ),
}

#: A page with so many sections lists them at its top.
SECTIONS_TO_LIST = 3

MARKDOWN = MarkdownIt("commonmark").enable("table")
OUTSIDE = ("http://", "https://", "mailto:", "#")


def anchor(text: str) -> str:
    """The name of a heading, as GitHub makes it."""
    kept = re.sub(r"[^\w\- ]", "", text.casefold().replace("`", ""))
    return kept.strip().replace(" ", "-")


def render(text: str, source: str = "docs/page.md", pages: Mapping[str, str] | None = None) -> str:
    """Markdown as HTML. ``pages`` says which file of the repository is which page; what is none becomes plain text."""
    tokens = MARKDOWN.parse(text)
    seen: dict[str, int] = {}
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            name = anchor(tokens[place + 1].content)
            count = seen[name] = seen.get(name, -1) + 1
            token.attrSet("id", f"{name}-{count}" if count else name)
        elif token.type == "fence":
            token.info = token.info.partition(" ")[0]
        if token.children:
            token.children = _links(token.children, source, pages or {})
    made = MARKDOWN.renderer.render(tokens, MARKDOWN.options, {})
    made = made.replace("<pre>", '<pre tabindex="0">')  # so that a keyboard can scroll it
    return made.replace("<table>", '<div class="wide"><table>').replace(
        "</table>", "</table></div>"
    )


def _links(tokens: list[Token], source: str, pages: Mapping[str, str]) -> list[Token]:
    """Links into the repository become links to pages; those to what is no page lose their link, not their words."""
    kept, dropped = [], 0
    for token in tokens:
        if token.type == "link_open":
            target = str(token.attrGet("href"))
            if not target.startswith(OUTSIDE):
                path, mark, fragment = target.partition("#")
                page = pages.get(posixpath.normpath(posixpath.join(posixpath.dirname(source), path)))  # fmt: skip
                if page is None:
                    dropped += 1
                    continue
                token.attrSet("href", f"{page}.html{mark}{fragment}")
        elif token.type == "link_close" and dropped:
            dropped -= 1
            continue
        elif token.type == "image":
            target = str(token.attrGet("src"))
            token.attrSet("src", f"pictures/{posixpath.basename(target)}")
        kept.append(token)
    return kept


def title_of(text: str) -> str:
    """The first heading of a page."""
    return next((line[2:].strip() for line in text.splitlines() if line.startswith("# ")), "Outlive")  # fmt: skip


BOX = """<form action="search.html" role="search"><label>Search <input name="q" type="search" placeholder="exit code 137"></label><button>Find</button></form>
"""


def page(title: str, body: str, about: str = "", scripts: tuple[str, ...] = ()) -> str:
    """The frame around a page: works from a disk, needs nobody's network, reads well without its style. One with a script is the search itself."""
    about = f'<meta name="description" content="{html.escape(about)}">\n' if about else ""
    box = "" if scripts else BOX
    scripted = "".join(f'<script src="{name}"></script>' for name in scripts)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)} · Outlive {__version__}</title>
{about}<link rel="stylesheet" href="site.css">
</head>
<body>
<a class="skip" href="#content">To the content</a>
<header>
<a href="index.html"><strong>Outlive</strong></a>
{box}</header>
<div class="page">
<main id="content">
{_with_contents(body)}</main>
{_sidebar()}
</div>
<footer>Outlive {__version__}</footer>
{scripted}</body>
</html>
"""


def _sidebar() -> str:
    groups = []
    for title, entries in NAVIGATION.items():
        links = "".join(f'<li><a href="{name}.html">{words}</a></li>' for name, words in entries)
        groups.append(f"<p>{title}</p>\n<ul>{links}</ul>")
    return '<nav class="side" aria-label="Manual">\n' + "\n".join(groups) + "\n</nav>"


def _with_contents(body: str) -> str:
    """The page with a list of its sections below its title, where it has several."""
    sections = re.findall(r'<h2 id="([^"]+)">(.*?)</h2>', body)
    if len(sections) < SECTIONS_TO_LIST:
        return body
    rows = "".join(
        f'<li><a href="#{name}">{re.sub("<[^>]+>", "", words)}</a></li>' for name, words in sections
    )
    contents = f'<nav class="contents" aria-label="On this page"><ul>{rows}</ul></nav>'
    head, end, rest = body.partition("</h1>")
    return f"{head}{end}\n{contents}{rest}" if end else body
