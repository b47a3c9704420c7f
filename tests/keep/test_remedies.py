"""Laws for every remedy of `outlive run --heal`, present and future. What each does is in test_heal."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import outlive.keep.heal.remedies
from made_evidence import UNITS
from outlive.cli.command_line import cli
from outlive.model.heal_case import Answer, Case, Change
from outlive.units.unit import KINDS, UnitOf, discover, remedy
from tests.keep.test_heal import case, full_case
from unit_pages import check_page

FOLDER = Path(inspect.getfile(outlive.keep.heal.remedies)).parent
TESTS = Path(__file__).parent.parent
REMEDIES = {unit.slug: unit for unit in discover(remedy)}
ALLOWED_IMPORTS = {
    "__future__", "os", "outlive.model.heal_case", "outlive.units.unit",
    # nouns, names and a pure question of a text
    "outlive.inside.notes", "outlive.model.waits", "outlive.recorder.store", "outlive.keep.heal.importable_main",
}  # fmt: skip

#: Deaths around which everything is known, nothing is, and what differs from remedy to remedy.
AROUND = ({}, {"batches_tried": ()}, {"batches_tried": (1,)}, {"brake_on": True}, {"main": None})

every_remedy = pytest.mark.parametrize("unit", REMEDIES.values(), ids=REMEDIES.keys())


def tree_of(unit: UnitOf[Case, Answer]) -> ast.Module:
    return ast.parse((FOLDER / f"{unit.slug.replace('-', '_')}.py").read_text())


def answers(unit: UnitOf[Case, Answer]) -> list[Answer]:
    cases = [full_case(slug, **known) for slug in unit.heals for known in AROUND]
    return [unit.ask(one) for one in [*cases, *(case(slug) for slug in unit.heals)]]


def test_there_is_one_remedy_in_each_file() -> None:
    files = {path.stem.replace("_", "-") for path in FOLDER.glob("*.py")} - {"--init--"}

    assert files == REMEDIES.keys()
    assert len(REMEDIES) >= 9


def test_no_two_units_of_any_kind_have_one_name() -> None:
    slugs = [unit.slug for kind in KINDS for unit in discover(kind)]

    assert len(slugs) == len(set(slugs))


@every_remedy
def test_the_page_is_one_sentence_and_then_its_headings(unit: UnitOf[Case, Answer]) -> None:
    check_page(unit, remedy)


@every_remedy
def test_a_remedy_heals_causes_that_exist(unit: UnitOf[Case, Answer]) -> None:
    assert unit.heals
    assert set(unit.heals) <= UNITS.keys()


@every_remedy
def test_a_remedy_knows_only_its_argument(unit: UnitOf[Case, Answer]) -> None:
    tree = tree_of(unit)
    nodes = list(ast.walk(tree))
    imported = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    imported |= {it.name for node in nodes if isinstance(node, ast.Import) for it in node.names}
    used = {node.id for node in nodes if isinstance(node, ast.Name)}
    of_os = {
        node.attr
        for node in nodes
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") == "os"
    }

    assert imported <= ALLOWED_IMPORTS
    assert not used & {"open", "print", "eval", "exec", "__import__", "input", "globals"}
    assert of_os <= {"path"}, "a path is joined; nothing is looked at or changed"


@every_remedy
def test_a_remedy_changes_something_or_says_why_not_and_answers_the_same_again(
    unit: UnitOf[Case, Answer],
) -> None:
    found = answers(unit)
    changes = [answer for answer in found if isinstance(answer, Change)]

    assert found == answers(unit)
    assert changes, "nothing that the tests know of is healed by it"
    for change in changes:
        assert change.says.endswith(".") and "\n" not in change.says
        assert change.remedy == change.remedy.strip().lower()
    for refusal in [answer for answer in found if isinstance(answer, str)]:
        assert refusal and not refusal.endswith("."), "it becomes a part of a sentence"


@every_remedy
def test_a_remedy_is_found_by_the_words_that_a_healed_run_says(unit: UnitOf[Case, Answer]) -> None:
    said = {change.remedy for change in answers(unit) if isinstance(change, Change)}

    assert all(any(words.startswith(phrase) for phrase in unit.searched) for words in said)


@every_remedy
def test_a_remedy_explains_itself_on_the_command_line(
    unit: UnitOf[Case, Answer], capsys: pytest.CaptureFixture[str]
) -> None:
    for name in (unit.slug, unit.code):
        cli.main(args=["explain", name], prog_name="outlive", standalone_mode=False)

        page = capsys.readouterr().out
        assert unit.slug in page and unit.code in page
        assert all(heading in page for heading in remedy.headings)


@every_remedy
def test_a_remedy_is_tested_by_its_words(unit: UnitOf[Case, Answer]) -> None:
    tests = (TESTS / "keep" / "test_heal.py").read_text()

    assert any(f'"{phrase}' in tests for phrase in unit.searched)
