"""The manual is whole: every link leads somewhere, every command and variable is in it, what it shows is true, and it can be searched from a disk."""

from __future__ import annotations

import ast
import html
import importlib.util
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import click
import pytest
from limited import parent_group

import outlive
from conftest import Outlive
from outlive import errors
from outlive.cli.command_line import cli
from outlive.cli.contract import STATUSES, STATUSES_OF_RUN, VARIABLES
from outlive.units.search import find
from outlive.units.unit import Unit, cause, discover
from run_tutorial import play

ROOT = Path(__file__).resolve().parent.parent.parent
DOCS = ROOT / "docs"
SOURCES = sorted((ROOT / "src" / "outlive").rglob("*.py"))
sys.path.insert(0, str(DOCS))

import build  # noqa: E402
import reference  # noqa: E402
import verdicts  # noqa: E402

CAUSES = discover(cause)
#: A page that is higher is not read to its end.
MOST_PIXELS = 14_000

AGAIN = "make verdicts ONLY="
every_cause = pytest.mark.parametrize("unit", CAUSES, ids=lambda unit: unit.slug)


class Read(HTMLParser):
    """What matters of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.ids: list[str] = []
        self.headings: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.empty_heads = 0
        self._head: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = dict(attributes)
        self.tags.append((tag, given))
        if tag == "a":
            self.links.append(given["href"] or "")
        for name in ("src", "action"):
            if given.get(name):
                self.loaded.append(given[name] or "")
        if tag == "link":
            self.loaded.append(given["href"] or "")
        if given.get("id"):
            self.ids.append(given["id"] or "")
        if re.fullmatch("h[1-6]", tag):
            self.headings.append(tag)
        if tag == "th":
            self._head = ""

    def handle_data(self, data: str) -> None:
        if self._head is not None:
            self._head += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "th":
            self.empty_heads += not (self._head or "").strip()
            self._head = None


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("manual") / "site"
    assert build.build(folder) == len(list(folder.glob("*.html")))
    return folder


@pytest.fixture(scope="session")
def pages(site: Path) -> dict[str, Read]:
    return {path.name: Read(path.read_text(encoding="utf-8")) for path in site.glob("*.html")}


def test_every_link_leads_to_a_page_and_a_heading_of_it(site: Path, pages: dict[str, Read]) -> None:
    dead = []
    for name, page in pages.items():
        for link in page.links:
            file, _, fragment = link.partition("#")
            if file.startswith(("https://", "http://")):
                continue
            target = pages.get(file or name)
            if target is None or (fragment and fragment not in target.ids):
                dead.append((name, link))

    assert [] == dead


def test_nothing_is_loaded_from_elsewhere_and_all_that_is_loaded_is_there(
    site: Path, pages: dict[str, Read]
) -> None:
    wanted = {(name, file) for name, page in pages.items() for file in page.loaded}

    assert [] == [it for it in wanted if not (site / it[1]).is_file()]
    assert not re.search(r"fetch\(|XMLHttpRequest|import\(|url\(|@import", (site / "search.js").read_text() + (site / "site.css").read_text())  # fmt: skip


def test_a_page_can_be_read_by_everybody(pages: dict[str, Read]) -> None:
    for name, page in pages.items():
        tags = [tag for tag, _ in page.tags]
        first = dict(page.tags)
        assert "en" == first["html"].get("lang"), name
        assert 1 == page.headings.count("h1") == tags.count("main"), (name, page.headings)
        steps = [int(heading[1]) for heading in page.headings]
        assert all(b <= a + 1 for a, b in itertools.pairwise(steps)), (name, steps)
        assert len(page.ids) == len(set(page.ids)), name
        assert all(given.get("alt") for tag, given in page.tags if tag == "img"), name
        assert all(given.get("tabindex") == "0" for tag, given in page.tags if tag == "pre"), name
        assert tags.count("label") == tags.count("input"), name


def test_every_cause_is_in_the_list_of_causes(pages: dict[str, Read]) -> None:
    listed = pages["causes.html"].links

    assert [] == [unit.slug for unit in CAUSES if f"{unit.slug}.html" not in listed]


def test_tables_of_the_reference_have_heads(pages: dict[str, Read]) -> None:
    assert 0 == pages["reference.html"].empty_heads


def test_it_follows_the_readers_light_and_dark(site: Path) -> None:
    style = (site / "site.css").read_text()

    assert "color-scheme: light dark" in style and "prefers-color-scheme: dark" in style


def version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(".")))[:2]


def must_have_an_example(unit: Unit) -> bool:
    """Tell whether a released Outlive has it: until its release a cause needs no verdict for the manual."""
    return version(unit.since) <= version(outlive.__version__)


@every_cause
def test_the_page_of_a_cause_shows_what_people_search_for_and_a_real_verdict(
    unit: Unit, site: Path
) -> None:
    page = (site / f"{unit.slug}.html").read_text(encoding="utf-8")

    for phrase in unit.searched:
        assert f"<code>{html.escape(phrase, quote=False)}</code>" in page, phrase
    if must_have_an_example(unit) or verdicts.read_example(unit.slug) is not None:
        assert "and what Outlive said" in page, f"it has no example: {AGAIN}{unit.slug}"
        assert f"outlive explain {unit.slug}" in page


@every_cause
def test_the_example_of_a_cause_is_of_today(unit: Unit) -> None:
    """Readable for the present Outlive, of the present victim, and of nobody's machine."""
    example = verdicts.read_example(unit.slug)
    again = f"make it again: {AGAIN}{unit.slug}"
    if example is None:
        assert not must_have_an_example(unit), again
        return
    found = example.verdict.cause

    assert found is not None and unit.slug == found.slug
    victim = verdicts.chosen_victim(unit.slug)
    if victim is not None:
        assert victim.path == example.program, again
        assert found.confidence.name.lower() == victim.expected[1], again
        if found.where is not None and found.where.file == victim.path.name:
            lines = victim.path.read_text().splitlines()
            assert found.where.code == lines[found.where.line - 1].strip(), again
    text = example.path.read_text(encoding="utf-8")
    assert not re.search(r"/(tmp|root|home|usr|work)/\w", text), again


def shape(example: verdicts.Example) -> str:
    """The words of a verdict without its numbers."""
    told = verdicts.to_data(example.verdict)
    cause = told["cause"]
    cause["because"] = sorted(fact["name"] for fact in cause["because"])
    return re.sub(r"0x[0-9a-f]+|\d+(\.\d+)?", "#", json.dumps([told["ending"], cause], indent=1))


@pytest.mark.death
@pytest.mark.parametrize("slug", ["recursion-too-deep", "heap-corrupted", "killed-by-process"])
def test_a_victim_that_is_run_now_gets_the_verdict_that_is_shown(slug: str) -> None:
    kept = verdicts.read_example(slug)
    assert kept is not None

    assert shape(kept) == shape(verdicts.make(slug)), f"make it again: {AGAIN}{slug}"


def parameters() -> Iterator[tuple[str, click.Command, click.Parameter]]:
    for names, command in reference.commands():
        for parameter in command.params:
            yield " ".join(names), command, parameter


def test_every_command_and_option_is_explained() -> None:
    page = "\n".join(reference.of_command(name) for name in cli.commands)
    for names, command in reference.commands():
        name = " ".join(names)
        assert re.search(rf"^#+ {name}$", page, re.MULTILINE)
        assert command.help and command.get_short_help_str(), name
    for name, _, parameter in parameters():
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.opts}"
            assert all(f"`{word}`" in page for word in parameter.opts), f"{name} {parameter.opts}"
        else:
            assert parameter.make_metavar(click.Context(cli)), f"{name} {parameter.name}"


def test_every_public_name_is_explained() -> None:
    page = reference.reference()
    for name in outlive.__all__:
        if not name.startswith("_"):
            assert f"| `outlive.{name}` |" in page
            assert reference.first_line(name).endswith("."), name


def test_the_option_of_pytest_is_explained() -> None:
    assert "`--outlive`" in reference.reference()


def test_every_exit_status_is_explained() -> None:
    kinds = {errors.OutliveError, *errors.OutliveError.__subclasses__()}
    page = reference.reference()

    assert {kind.exit_code for kind in kinds} <= STATUSES.keys()
    for status in (*STATUSES, *STATUSES_OF_RUN):
        assert f"| {status} |" in page


READERS = {"get", "pop", "getenv", "setdefault"}
OF_AN_ENVIRONMENT = re.compile(r"environ|variables|kept|changed")


def variables_in(path: Path) -> Iterator[str]:
    """Names of environment variables that a module reads or sets, as far as they stand there."""
    text = path.read_text(encoding="utf-8")
    if not OF_AN_ENVIRONMENT.search(text) and "OUTLIVE" not in text:
        return
    for node in ast.walk(ast.parse(text)):
        name: object = None
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            holder, name = node.value, node.slice.value
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in READERS
            and node.args
            and isinstance(node.args[0], ast.Constant)
        ):
            holder, name = node.func.value, node.args[0].value
        if isinstance(name, str) and name.isupper() and OF_AN_ENVIRONMENT.search(ast.unparse(holder)):  # fmt: skip
            yield name
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from re.findall(r"\b_?OUTLIVE_[A-Z_]+\b", node.value)


def test_every_environment_variable_is_explained() -> None:
    known = {variable.name for variable in VARIABLES}
    used = {name: path.name for path in SOURCES for name in variables_in(path)}
    page = reference.reference()

    unknown = {name: where for name, where in used.items() if name not in known}
    assert {} == unknown, "explain it in src/outlive/cli/contract.py"
    assert all(f"`{name}`" in page for name in known)
    told_but_unused = {name for name in known if "OUTLIVE" in name and name not in used}
    assert set() == told_but_unused


def chromium() -> str:
    for name in ("chromium", "chromium-browser", "google-chrome"):
        found = shutil.which(name)
        if found:
            return found
    if os.environ.get("OUTLIVE_NO_SKIP"):
        pytest.fail("skips are forbidden here: there is no Chromium")
    pytest.skip("there is no Chromium")


QUERIES = (
    "tensorflow kernel died", "Canceled future for execute_request", "exit code 137", "Illegal instruction", "OOMKilled",
    "Segmentation fault (core dumped) tensorflow", "my training hangs", "RuntimeError: can't start new thread", "how do I use pytest in CI",
    "zxqv", "", "<img src=x onerror=alert(1)>", "constructor toString __proto__",
)  # fmt: skip


@pytest.mark.browser
def test_the_search_finds_from_a_disk_what_the_command_line_finds(
    site: Path, tmp_path: Path
) -> None:
    ask = (
        "<!doctype html><meta charset=utf-8><pre id=out></pre><script src=index.js></script><script src=search.js></script>"
        f"<script>document.getElementById('out').textContent = JSON.stringify({json.dumps(QUERIES)}"
        ".map((query) => find(query, INDEX).map((page) => page.name)))</script>"
    )
    (site / "asked.htm").write_text(ask.replace("<img", "\\u003cimg"), encoding="utf-8")
    done = subprocess.run(
        [chromium(), "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}",
         "--dump-dom", (site / "asked.htm").as_uri()],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    _, found = build.all_pages()

    told = re.search(r'<pre id="out">(.*?)</pre>', done.stdout, re.DOTALL)
    assert told is not None, done.stdout[:2000]
    assert [[page.name for page in find(query, found)] for query in QUERIES] == json.loads(told[1])


def require(*modules: str, group: bool = False) -> None:
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    reasons = [f"{name} is not installed" for name in missing]
    if group and parent_group() is None:
        reasons.append("no memory cgroup can be made here")
    for reason in reasons:
        if os.environ.get("OUTLIVE_NO_SKIP"):
            pytest.fail(f"skips are forbidden here: {reason}")
        pytest.skip(reason)


NEEDS: dict[str, tuple[tuple[str, ...], bool]] = {
    "first-death": ((), False),
    "notebook-that-died": (("nbclient", "ipykernel"), False),
    "pipeline-that-does-not-fit": (("tensorflow",), True),
    "data-before-training": (("PIL",), False),
    "keep-it-alive": ((), True),
}


@pytest.mark.death
@pytest.mark.timeout(300)
@pytest.mark.parametrize("path", sorted((DOCS / "tutorials").glob("*.md")), ids=lambda it: it.stem)
def test_a_tutorial_does_what_it_says(path: Path, outlive: Outlive, tmp_path: Path) -> None:
    modules, group = NEEDS[path.stem]
    require(*modules, group=group)

    play(path, tmp_path / "reader", outlive.environment | {"PYTHONUNBUFFERED": "1"})


@pytest.mark.browser
def test_no_page_is_endless_and_none_is_wider_than_a_phone(site: Path) -> None:
    """The largest files, as Chromium lays them out."""
    sync_api = pytest.importorskip("playwright.sync_api")
    largest = sorted(site.glob("*.html"), key=lambda path: path.stat().st_size)[-8:]
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        for width in (1280, 390):
            page = browser.new_page(viewport={"width": width, "height": 800})
            for path in largest:
                page.goto(path.as_uri())
                root = "document.documentElement"
                high, wide = page.evaluate(f"[{root}.scrollHeight, {root}.scrollWidth]")
                assert wide <= width, path.name
                assert width == 390 or high < MOST_PIXELS, path.name
        browser.close()


def test_every_page_leads_to_the_others_and_lists_its_sections(pages: dict[str, Read]) -> None:
    for name, page in pages.items():
        assert {"index.html", "reading-a-verdict.html", "reference.html"} <= set(page.links), name
        sections = [given["id"] for tag, given in page.tags if tag == "h2" and given.get("id")]
        if len(sections) >= 3:
            assert {f"#{section}" for section in sections} <= set(page.links), name


def test_the_home_page_says_how_to_install_it_and_shows_a_verdict(site: Path) -> None:
    home = (site / "index.html").read_text(encoding="utf-8")

    assert "pip install" in home and "Why    " in home and "outlive explain" in home
