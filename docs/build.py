"""`make docs`: the manual, as plain HTML that works from a disk. Nothing that is built is committed.

Hand-written pages (`*.md`, `tutorials/`, `adr/`), a page for each cause, check, rule and remedy from its docstring, one for each symptom that
several causes share, the reference from the command line itself, and an index with a search that needs no network.
"""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

from reference import of_command, page_name, reference  # noqa: E402
from rendering import ROOT, page, render, title_of  # noqa: E402
from verdicts import Example, read_example  # noqa: E402

from outlive.cli.command_line import cli  # noqa: E402
from outlive.report.hooks.github import code  # noqa: E402
from outlive.report.terminal import console_on, neighbours_in  # noqa: E402
from outlive.report.text import render as render_verdict  # noqa: E402
from outlive.units import search  # noqa: E402
from outlive.units.symptoms import ASK, Symptom  # noqa: E402
from outlive.units.unit import KINDS, AnyUnit, cause, check, discover, fix, remedy, rule, watch  # noqa: E402

#: In which order a newcomer reads them; pages that are not named here come after these.
ORDER = (
    "reading-a-verdict",
    "exit-codes",
    "in-jupyter",
    "in-teams",
    "many-machines",
    "doctor",
    "lint",
    "trust",
)
TUTORIALS = ("first-death", "notebook-that-died", "pipeline-that-does-not-fit", "data-before-training", "keep-it-alive")  # fmt: skip
GROUPS = {
    "1": "Memory",
    "2": "From outside",
    "3": "Native code",
    "4": "Data",
    "5": "Tensors",
    "6": "The environment",
    "7": "Concurrency",
    "9": "The program itself",
}
OTHER = "Others"  #: causes whose code begins with another digit


@dataclass(frozen=True)
class Written:
    """One page before it is framed."""

    name: str
    text: str  #: Markdown
    source: str = "docs/page.md"  #: the file that its links are relative to
    about: str = ""  #: for those who list pages: a sentence, and what people search for

    @property
    def title(self) -> str:
        """Its first heading."""
        return title_of(self.text)


def ordered(folder: Path, first: tuple[str, ...]) -> list[Path]:
    """The Markdown files of a folder, those that are named first."""
    files = {path.stem: path for path in sorted(folder.glob("*.md"))}
    named = [files.pop(name) for name in first if name in files]
    return [*named, *files.values()]


def hand_written() -> Iterator[Written]:
    """What people wrote."""
    for path in ordered(HERE, ORDER):
        yield Written(path.stem, path.read_text(encoding="utf-8"), f"docs/{path.name}")
    for path in ordered(HERE / "tutorials", TUTORIALS):
        name = f"tutorial-{path.stem}"
        yield Written(name, path.read_text(encoding="utf-8"), f"docs/tutorials/{path.name}")
    for path in ordered(HERE / "adr", ()):
        yield Written(f"adr-{path.stem}", path.read_text(encoding="utf-8"), f"docs/adr/{path.name}")


def files_and_pages(units: list[AnyUnit]) -> dict[str, str]:
    """Which file of the repository is which page."""
    known = {written.source: written.name for written in hand_written()}
    known |= {"README.md": "index", "docs/adr": "decisions", "docs/tutorials": "tutorials"}
    for unit in units:
        folder = unit.ask.__module__.rpartition(".")[0].replace(".", "/")
        known[f"src/{folder}/{unit.slug.replace('-', '_')}.py"] = unit.slug
    return known


def told_of(example: Example) -> str:
    """The verdict as the present Outlive prints it."""
    stream = io.StringIO()
    folder = str(example.program.parent) if example.program else ""
    render_verdict(example.verdict, console_on(stream), neighbours_in(folder))
    return stream.getvalue()


def of_unit(
    unit: AnyUnit, all_units: Mapping[str, AnyUnit], symptoms: Iterable[Symptom]
) -> Written:
    """The page of a cause, a check, a rule or a remedy."""
    parts = [f"# {unit.slug}", f"*{unit.code}, since {unit.since}*", unit.doc]
    if unit.searched:
        overviews = {symptom.phrase: symptom.slug for symptom in symptoms}
        rows = [
            f"- [{code(phrase)}]({overviews[phrase]}.page)"
            if phrase in overviews
            else f"- {code(phrase)}"
            for phrase in unit.searched
        ]
        parts += ["## What people see or search for", "\n".join(rows)]
    if unit.code.startswith("D"):
        example = read_example(unit.slug)
        parts += _example(example) if example else []
        units = all_units.values()
        parts += _list(
            "Seen before it happens by", [it for it in units if unit.slug in it.prevents]
        )
        parts += _list(
            "Healed by `outlive run --heal`",
            [it for it in units if unit.slug in it.heals and it.code.startswith("T")],
        )
        parts += _list(
            "Fixed by `outlive fix`",
            [it for it in units if unit.slug in it.heals and it.code.startswith("F")],
        )
    parts += _list("What it prevents", [all_units[slug] for slug in unit.prevents])
    parts += _list("What it heals", [all_units[slug] for slug in unit.heals])
    about = " · ".join((unit.headline, *unit.searched))
    return Written(unit.slug, "\n\n".join(parts) + "\n", about=about)


def _list(title: str, units: list[AnyUnit]) -> list[str]:
    """Make a section that leads to other pages; none where there are none."""
    rows = [f"- [{it.slug}]({it.slug}.page): {it.headline}" for it in units]
    return [f"## {title}", "\n".join(rows)] if rows else []


def _example(example: Example) -> list[str]:
    parts = ["## A program that died of it, and what Outlive said"]
    if example.note:
        parts.append(example.note)
    parts.append(f"```console\n{told_of(example)}```")
    if example.program is not None:
        language = "json" if example.program.suffix == ".ipynb" else "python"
        source = example.program.read_text(encoding="utf-8")
        parts += ["The program:", f"```{language}\n{source}```"]
    return parts


def of_symptom(symptom: Symptom, causes: list[AnyUnit]) -> Written:
    """The page that tells apart what looks the same."""
    parts = [f"# {symptom.phrase}", symptom.says, ASK, "## What it can be"]
    for unit in sorted(causes, key=lambda unit: unit.code):
        if search.is_searched_by(unit, symptom.phrase):
            known = unit.section("How we know").partition("\n\n")[0]
            parts.append(f"### [{unit.slug}]({unit.slug}.page)\n\n{unit.headline}\n\n*How it is known:* {known}")  # fmt: skip
    if symptom.also:
        rows = [f"- {code(phrase)}" for phrase in symptom.also]
        parts += ["## Other words for it", "\n".join(rows)]
    about = " · ".join((symptom.phrase, *symptom.also))
    return Written(symptom.slug, "\n\n".join(parts) + "\n", about=about)


def listing(title: str, intro: str, rows: list[tuple[str, str, str]]) -> str:
    """A page that is a list of others."""
    lines = [f"- [{words}]({name}.page){': ' if says else ''}{says}" for name, words, says in rows]
    return f"# {title}\n\n{intro}\n\n" + "\n".join(lines) + "\n"


def of_causes(causes: list[AnyUnit]) -> str:
    """All causes, in their groups."""
    parts = ["# Causes of death", "What a verdict can say, and what to do about it."]
    groups: dict[str, list[str]] = {title: [] for title in (*GROUPS.values(), OTHER)}
    for it in sorted(causes, key=lambda it: it.code):
        group = groups[GROUPS.get(it.code[1], OTHER)]
        group.append(f"- [{it.slug}]({it.slug}.page): {it.headline}")
    for title, rows in groups.items():
        parts += [f"## {title}", "\n".join(rows)] if rows else []
    return "\n\n".join(parts) + "\n"


INTRO = """\
# Outlive

**TensorFlow programs die without saying why. Outlive tells why, to the line.**

{install}

{verdict}

![The cell of a notebook that died says why: cause, line, fix](pictures/kernel-died-after.png)

Did it die already, and all you have is a message or a number? Type it into the search above: `exit code 137`,
`Canceled future for execute_request`, `Segmentation fault (core dumped)`. Or in a terminal: `outlive explain exit code 137`.
"""


def _intro() -> str:
    """How to install it and what it says, as the README has them: told in one place."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```console\n.*?```", readme, re.DOTALL)
    verdict = next(block for block in blocks if "Why " in block)
    install = next(block for block in blocks if "pip install" in block)
    return INTRO.format(install=install, verdict=verdict)


def of_index(written: list[Written]) -> str:
    """The first page."""
    tutorials = [it for it in written if it.name.startswith("tutorial-")]
    others = [it for it in written if not it.name.startswith(("tutorial-", "adr-"))]
    parts = [_intro(), "## Begin here"]
    parts.append("\n".join(f"- [{it.title}]({it.name}.page)" for it in tutorials))
    parts += ["## Read on", "\n".join(f"- [{it.title}]({it.name}.page)" for it in others)]
    parts.append(
        "## Look up\n\n- [Causes of death](causes.page)\n- [Symptoms](symptoms.page): what several causes look like\n"
        "- [Checks of the doctor](checks.page)\n- [Rules of lint](rules.page)\n- [Remedies of `run --heal`](remedies.page)\n- [Fixes of the code](fixes.page)\n- [Watches of a running program](watches.page)\n- [Reference](reference.page): commands, options, statuses, variables\n"
        "- [Index](search.page): everything that people search for\n- [Decisions](decisions.page): why it is built this way"
    )
    return "\n\n".join(parts) + "\n"


def of_commands() -> list[Written]:
    """A page for each command."""
    return [Written(page_name(name), of_command(name)) for name in cli.commands]


def of_search(causes: list[AnyUnit]) -> str:
    """The search, and without a script an index to look through."""
    symptoms = search.symptoms(causes)
    leads = {symptom.phrase: symptom.slug for symptom in symptoms}
    for symptom in symptoms:
        leads |= dict.fromkeys(symptom.also, symptom.slug)
    for unit in causes:
        for phrase in unit.searched:
            leads.setdefault(phrase, unit.slug)
    rows = [
        f"- [{code(phrase)}]({leads[phrase]}.page)" for phrase in sorted(leads, key=str.casefold)
    ]
    return "## Everything that people search for\n\n" + "\n".join(rows) + "\n"


SEARCH = """\
<h1>Search</h1>
<form role="search" action="search.html"><label for="query">A message, an exit status, a complaint</label>
<input id="query" name="q" type="search" autocomplete="off"></form>
<p id="count" role="status"></p>
<ol id="found" aria-live="polite"></ol>
"""


def index_of(pages: list[search.Page]) -> dict[str, Any]:
    """All that the search needs, for its script."""
    return {
        "enough": search.ENOUGH,
        "near": search.NEAR_THE_BEST,
        "most": search.MOST,
        "overview": search.OVERVIEW,
        "telling": search.rarity(pages),
        "pages": [
            {
                "name": it.name,
                "title": it.title,
                "headline": it.headline,
                "weights": it.weights,
                "phrases": it.phrases,
            }
            for it in pages
        ],
    }


def found_by(written: Written) -> search.Page:
    """A hand-written page, for the search."""
    words = (written.title,)
    headline = next((line for line in written.text.splitlines()[1:] if line.strip()), "")
    weights = search.weighed(words, written.title, written.text)
    return search.Page(written.name, written.title, headline[:200], weights, search.compared(words))  # fmt: skip


def all_pages() -> tuple[list[Written], list[search.Page]]:
    """Every page, and what can be found."""
    causes, checks, rules, remedies, fixes, watches = (
        list(discover(kind)) for kind in (cause, check, rule, remedy, fix, watch)
    )
    units: list[AnyUnit] = [*causes, *checks, *rules, *remedies, *fixes, *watches]
    by_slug = {unit.slug: unit for unit in units}
    symptoms = search.symptoms(units)
    written = list(hand_written())
    decisions = [(it.name, it.title, "") for it in written if it.name.startswith("adr-")]
    tutorials = [(it.name, it.title, "") for it in written if it.name.startswith("tutorial-")]
    pages = [
        Written("index", of_index(written)),
        *written,
        Written("tutorials", listing("Tutorials", "Each is run as a test: what you see here is what it prints.", tutorials)),
        Written("decisions", listing("Decisions", "Why it is built this way.", decisions)),
        Written("causes", of_causes(causes)),
        Written("checks", listing("Checks of the doctor", "`outlive doctor` asks these.", [(it.slug, it.slug, it.headline) for it in checks])),
        Written("rules", listing("Rules of lint", "`outlive lint` asks these.", [(it.slug, it.slug, it.headline) for it in rules])),
        Written("remedies", listing("Remedies of `run --heal`", "`outlive run --heal` tries these after a death whose cause is proven: [recovering](going-on.page).", [(it.slug, it.slug, it.headline) for it in remedies])),
        Written("fixes", listing("Fixes of the code", "`outlive fix` makes these as a patch of your code, and runs it before it is offered: [fixing](fixing.page).", [(it.slug, it.slug, it.headline) for it in fixes])),
        Written("watches", listing("Watches", "A program that is recorded is asked these while it runs; each is heard once: [while it runs](reading-a-verdict.page).", [(it.slug, it.slug, it.headline) for it in watches])),
        Written("symptoms", listing("Symptoms", "What several causes look like, and what tells them apart.", [(it.slug, it.phrase, "") for it in symptoms])),
        Written("reference", reference()),
        *of_commands(),
        *(of_unit(unit, by_slug, symptoms) for unit in units),
        *(of_symptom(symptom, causes) for symptom in symptoms),
    ]  # fmt: skip
    found = [*search.everything(units), *(found_by(it) for it in written), found_by(Written("reference", reference())), *map(found_by, of_commands())]  # fmt: skip
    return pages, found


def build(target: Path) -> int:
    """Write all pages; returns how many."""
    target.mkdir(parents=True, exist_ok=True)
    causes = list(discover(cause))
    pages, found = all_pages()
    known = files_and_pages([unit for kind in KINDS for unit in discover(kind)])
    known |= {f"docs/{it.name}.page": it.name for it in (*pages, Written("search", ""))}
    for it in pages:
        body = render(it.text, it.source, known)
        (target / f"{it.name}.html").write_text(page(it.title, body, it.about), encoding="utf-8")
    body = SEARCH + render(of_search(causes), "docs/page.md", known)
    framed = page("Search", body, scripts=("index.js", "search.js"))
    (target / "search.html").write_text(framed, encoding="utf-8")
    index = json.dumps(index_of(found), ensure_ascii=False, separators=(",", ":"))
    (target / "index.js").write_text(f"const INDEX = {index};\n", encoding="utf-8")
    for name in ("search.js", "site.css"):
        shutil.copy(HERE / name, target / name)
    shutil.copytree(HERE / "pictures", target / "pictures", dirs_exist_ok=True)
    return len(pages) + 1


if __name__ == "__main__":
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "site")
    print(f"{build(folder)} pages in {folder}/")
