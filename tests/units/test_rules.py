"""Every rule: its page is made as the others, its Bad block is found, its Good block is not, its edge cases are marked on the line."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

import outlive.units.rules
from made_evidence import UNITS as CAUSES
from outlive.model.findings import Confidence
from outlive.source.lint.check import Told, every_rule, judge
from outlive.source.lint.oracle import answers_of
from outlive.source.lint.settings import Answering, Settings
from outlive.source.parsed import Machine, Source
from outlive.units.unit import Unit

RULES = {unit.slug: unit for unit in every_rule()}
FOLDER = Path(inspect.getfile(outlive.units.rules)).parent
EDGES = sorted((Path(__file__).parent.parent / "rules").glob("*.py"))

#: What every program of this field begins with; the blocks of the pages leave it out.
PRELUDE = """\
import concurrent.futures, gc, logging, multiprocessing, os, sys, threading
import cv2
import keras
import numpy as np
import tensorflow as tf
"""

ALLOWED_IMPORTS = {"__future__", "ast", "collections.abc", "math", "outlive.model.fact_names", "outlive.model.findings", "outlive.source.parsed", "outlive.units.unit"}  # fmt: skip

#: A container of 4 GB on a host with 64 GB free.
SMALL_CONTAINER = Machine(4_000_000_000, 64_000_000_000, 4_000_000_000)

#: Rules that ask about the machine.
ABOUT_THE_MACHINE = ("autotune-beyond-limit", "array-larger-than-memory")

every = pytest.mark.parametrize("unit", RULES.values(), ids=RULES.keys())


def block(unit: Unit[Source], title: str) -> str:
    """One of the blocks of a page."""
    found = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", unit.doc, re.MULTILINE | re.DOTALL)
    assert found is not None
    return textwrap.dedent(found[1])


#: A block of a page is a fragment: its reader has the rest, so only this rule's own page is asked about names.
ABOUT_NAMES = "undefined-name"


def asked(
    text: str, machine: Machine | None = None, path: str = "program.py", page: str = ABOUT_NAMES
) -> Told:
    """What all rules say of a text, however unsure."""
    rules = tuple(slug for slug in RULES if page == ABOUT_NAMES or slug != ABOUT_NAMES)
    settings = Settings(
        rules,
        confidence=Confidence.POSSIBLE,
        machine=machine or Machine(),
        answers=Answering.TENSORFLOW,
    )
    told = judge(path, text, settings)
    assert () == told.failures
    return told


@pytest.fixture(scope="module", autouse=True)
def _tensorflow_answers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """One TensorFlow for all blocks, which keeps its answers apart from the user's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OUTLIVE_HOME", str(tmp_path_factory.mktemp("answers")))
        answers_of.cache_clear()
        yield
        answers_of("").close()
        answers_of.cache_clear()


def machine_for(unit: Unit[Source]) -> Machine:
    return SMALL_CONTAINER if unit.slug in ABOUT_THE_MACHINE else Machine()


def test_there_is_one_rule_in_each_file_and_it_is_named_like_the_file() -> None:
    files = {path.stem.replace("_", "-") for path in FOLDER.glob("*.py")} - {"--init--"}

    assert files == RULES.keys()
    assert len(RULES) >= 35


def test_a_slug_or_a_code_means_one_unit_among_rules_and_causes() -> None:
    names = [
        name for unit in (*RULES.values(), *CAUSES.values()) for name in (unit.slug, unit.code)
    ]

    assert len(names) == len(set(names))


@every
def test_a_rule_prevents_causes_of_the_design(unit: Unit[Source]) -> None:
    assert set(unit.prevents) <= CAUSES.keys()
    assert unit.prevents or unit.code.startswith("R9")


@every
def test_a_rule_knows_only_its_argument(unit: Unit[Source]) -> None:
    tree = ast.parse((FOLDER / f"{unit.slug.replace('-', '_')}.py").read_text())
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            imported.add(node.module or "")
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}

    assert imported <= ALLOWED_IMPORTS
    assert not used & {"open", "print", "eval", "exec", "__import__", "input", "globals"}


@every
def test_the_page_is_one_sentence_and_then_its_headings(unit: Unit[Source]) -> None:
    parts = re.split(r"^## .+$", unit.doc, flags=re.MULTILINE)

    assert unit.headline == parts[0].strip()
    assert 1 == len(re.findall(r"[.!?](?:\s|$)", unit.headline))
    assert all(part.strip() for part in parts)


@every
def test_the_bad_block_is_found_by_its_rule_and_by_no_other(unit: Unit[Source]) -> None:
    told = asked(PRELUDE + block(unit, "Bad"), machine_for(unit), page=unit.slug)

    sure = {it.slug for it in told.findings if it.confidence >= Confidence.LIKELY}
    assert unit.slug in {it.slug for it in told.findings}
    assert sure <= {unit.slug} | ({"exit-without-cleanup"} if unit.code == "R901" else set())


@every
def test_the_good_block_is_not_found_by_its_rule_and_surely_by_no_other(unit: Unit[Source]) -> None:
    told = asked(PRELUDE + block(unit, "Good"), machine_for(unit), page=unit.slug)

    assert unit.slug not in {it.slug for it in told.findings}
    assert [] == [it.slug for it in told.findings if it.confidence >= Confidence.LIKELY]


@every
def test_what_a_rule_says_is_a_sentence_and_what_to_do_begins_with_a_capital(
    unit: Unit[Source],
) -> None:
    for finding in asked(PRELUDE + block(unit, "Bad"), machine_for(unit), page=unit.slug).findings:
        assert finding.says.endswith(".") and "\n" not in finding.says
        assert finding.where is not None and finding.where.line > 5 and finding.where.column > 0
        assert finding.remedies
        for remedy in finding.remedies:
            assert remedy.text[0].isupper() and remedy.text.endswith(".")


@every
def test_without_tensorflow_there_is_nothing_to_say(unit: Unit[Source]) -> None:
    text = "import numpy as np\nimport os, sys\n# keras is mentioned here\n" + block(unit, "Bad")

    assert () == asked(text.replace("import tensorflow", "import other")).findings


EXPECTED = re.compile(r"#\s*expect:\s*([\w-]+)(?:\s+(possible))?")


def test_there_are_edge_cases_for_every_rule_that_can_be_wrong() -> None:
    marked = {found[1] for path in EDGES for found in EXPECTED.finditer(path.read_text())}

    assert marked <= RULES.keys()
    assert len(marked) >= 25


@pytest.mark.parametrize("path", EDGES, ids=lambda path: path.stem)
def test_exactly_the_marked_lines_are_found(path: Path) -> None:
    text = path.read_text()
    expected = {
        (number, found[1], found[2] or "likely")
        for number, line in enumerate(text.splitlines(), 1)
        for found in EXPECTED.finditer(line)
    }

    told = asked(text)

    actual = {
        (it.where.line, it.slug, it.confidence.name.lower()) for it in told.findings if it.where
    }
    assert expected == actual
