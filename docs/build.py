"""`make docs`: the hand-written pages and one page a cause, a check and a rule, as plain HTML. Nothing that is built is committed."""

from __future__ import annotations

import html
import shutil
import sys
from pathlib import Path

from markdown_it import MarkdownIt

from outlive import __version__
from outlive.unit import cause, check, discover, rule

HERE = Path(__file__).parent
VICTIMS = HERE.parent / "tests" / "causes"
PAGES = ("reading-a-verdict", "in-jupyter", "doctor", "lint", "what-is-inside", "how-it-works")
STYLE = (
    "body{max-width:52rem;margin:2rem auto;padding:0 1rem;font:16px/1.5 system-ui;color-scheme:light dark}"
    "pre{overflow-x:auto;padding:.7rem;border:1px solid #8886}table{border-collapse:collapse}"
    "td,th{border:1px solid #8886;padding:.2rem .5rem;vertical-align:top}"
)


def page(title: str, body: str) -> str:
    """One self-contained page."""
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><title>{html.escape(title)} · Outlive {__version__}</title>"
        f"<meta name=viewport content='width=device-width'><style>{STYLE}</style>"
        f"<p><a href=index.html>Outlive {__version__}</a></p>{body}</html>\n"
    )


def victim_of(slug: str) -> str:
    """The program whose death shows this cause best: the shortest of its victims."""
    fitting = [
        text
        for path in sorted(VICTIMS.glob("*.py"))
        if f"# expect: {slug} " in (text := path.read_text(encoding="utf-8"))
    ]
    return min(fitting, key=len, default="")


def build(target: Path) -> int:
    """Write all pages; returns how many."""
    target.mkdir(parents=True, exist_ok=True)
    markdown = MarkdownIt("commonmark").enable("table")
    units, checks, rules = discover(cause), discover(check), discover(rule)
    for name in PAGES:
        text = (HERE / f"{name}.md").read_text(encoding="utf-8").replace(".md)", ".html)")
        (target / f"{name}.html").write_text(page(name, markdown.render(text)), encoding="utf-8")
    for unit in (*units, *checks, *rules):
        text = f"# {unit.slug}\n\n*{unit.code}, since {unit.since}*\n\n{unit.doc}\n"
        example = victim_of(unit.slug)
        if example:
            text += f"\n## A program that dies of it\n\n```python\n{example}```\n"
        (target / f"{unit.slug}.html").write_text(
            page(unit.slug, markdown.render(text)), encoding="utf-8"
        )
    shutil.copytree(HERE / "pictures", target / "pictures", dirs_exist_ok=True)
    index = "# Outlive\n\n" + "".join(f"- [{name}]({name}.html)\n" for name in PAGES)
    index += "\n## Causes of death\n\n"
    index += "".join(f"- [{unit.slug}]({unit.slug}.html): {unit.headline}\n" for unit in units)
    index += "\n## Checks of the doctor\n\n"
    index += "".join(f"- [{unit.slug}]({unit.slug}.html): {unit.headline}\n" for unit in checks)
    index += "\n## Rules of lint\n\n"
    index += "".join(f"- [{unit.slug}]({unit.slug}.html): {unit.headline}\n" for unit in rules)
    (target / "index.html").write_text(page("manual", markdown.render(index)), encoding="utf-8")
    return len(units) + len(checks) + len(rules) + len(PAGES) + 1


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "site")
    print(f"{build(folder)} pages in {folder}/")
