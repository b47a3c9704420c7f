"""Laws for every check, present and future."""

from __future__ import annotations

import ast
import inspect
import os
import re
from pathlib import Path

import pytest

import outlive.units.checks
from made_evidence import UNITS
from made_machines import CHECKS, surroundings
from outlive.cli.command_line import cli
from outlive.doctor.checkup import CLUSTER, IMPORTS, PYTHON
from outlive.doctor.look.everything import look_around
from outlive.inside.machine.host import Host
from outlive.model.findings import Checked, State
from outlive.model.surroundings import Surroundings
from outlive.units.unit import Unit, check

FOLDER = Path(inspect.getfile(outlive.units.checks)).parent
TESTS = Path(__file__).parent.parent / "doctor"
ALLOWED_IMPORTS = {
    "__future__", "re", "math", "statistics", "collections.abc", "outlive.model.fact_names", "outlive.model.findings", "outlive.model.surroundings", "outlive.model.installation",
    "outlive.model.cluster", "outlive.units.unit", "outlive.inside.start.code_owner",
}  # fmt: skip

every_check = pytest.mark.parametrize("unit", CHECKS.values(), ids=CHECKS.keys())
OF_ONE_HOST = {slug: unit for slug, unit in CHECKS.items() if CLUSTER not in unit.needs}
every_check_of_one_host = pytest.mark.parametrize(
    "unit", OF_ONE_HOST.values(), ids=OF_ONE_HOST.keys()
)


def test_there_is_one_check_in_each_file() -> None:
    files = {path.stem.replace("_", "-") for path in FOLDER.glob("*.py")} - {"--init--"}

    assert files == CHECKS.keys()
    assert len(CHECKS) >= 29


def test_no_check_has_the_name_of_a_cause() -> None:
    assert not CHECKS.keys() & UNITS.keys()


@every_check
def test_a_check_forestalls_causes_that_exist(unit: Unit[Surroundings]) -> None:
    assert set(unit.prevents) <= UNITS.keys()


@every_check
def test_a_check_says_what_has_to_be_looked_at_for_it(unit: Unit[Surroundings]) -> None:
    text = (FOLDER / f"{unit.slug.replace('-', '_')}.py").read_text()

    assert set(unit.needs) <= {CLUSTER, PYTHON, IMPORTS}
    assert ("here.python" not in text) or PYTHON in unit.needs
    assert (".trials" not in text) or IMPORTS in unit.needs
    assert ("here.cluster" in text) == (CLUSTER in unit.needs)


@every_check
def test_the_page_of_a_check_is_one_sentence_and_then_its_headings(
    unit: Unit[Surroundings],
) -> None:
    parts = re.split(r"^## .+$", unit.doc, flags=re.MULTILINE)

    assert list(check.headings) == re.findall(r"^## (.+)$", unit.doc, re.MULTILINE)
    assert unit.headline == parts[0].strip(), "the headline is one line"
    assert all(part.strip() for part in parts)


@every_check
def test_a_check_knows_only_its_argument(unit: Unit[Surroundings]) -> None:
    tree = ast.parse((FOLDER / f"{unit.slug.replace('-', '_')}.py").read_text())
    imported = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}

    assert imported <= ALLOWED_IMPORTS
    assert not used & {"open", "print", "eval", "exec", "__import__", "input", "globals"}


@every_check
def test_a_check_explains_itself_on_the_command_line(
    unit: Unit[Surroundings], capsys: pytest.CaptureFixture[str]
) -> None:
    for name in (unit.slug, unit.code):
        cli.main(args=["explain", name], prog_name="outlive", standalone_mode=False)

        page = capsys.readouterr().out
        assert unit.slug in page and unit.code in page
        assert all(heading in page for heading in check.headings)


@every_check
def test_a_check_is_tested_by_its_name(unit: Unit[Surroundings]) -> None:
    tests = "\n".join(path.read_text() for path in TESTS.glob("test_*.py"))

    assert f'"{unit.slug}"' in tests


def well_made(answer: Checked) -> None:
    """What every answer has."""
    assert answer.findings, "silence is no answer"
    for finding in answer.findings:
        assert finding.state is not None
        assert finding.says.endswith(".") and "\n" not in finding.says
        assert finding.state < State.WARNING or finding.remedies, finding
        assert all(fact.source for fact in finding.because)
        for remedy in finding.remedies:
            assert remedy.text[0].isupper() and remedy.text.endswith("."), remedy


def asked(unit: Unit[Surroundings], here: Surroundings) -> Checked:
    findings = tuple(unit.ask(here))
    assert findings == tuple(unit.ask(here)), "asked twice, it answers the same"
    return Checked(unit.slug, unit.code, findings)


@every_check_of_one_host
def test_a_check_answers_where_nothing_is_known(unit: Unit[Surroundings]) -> None:
    well_made(asked(unit, Surroundings()))


@every_check_of_one_host
def test_a_check_answers_on_a_machine_made_of_files(
    unit: Unit[Surroundings], tmp_path: Path
) -> None:
    well_made(asked(unit, surroundings(tmp_path)))


@pytest.fixture(scope="module")
def this_machine() -> Surroundings:
    """The real one, as it is."""
    import platform
    import sys

    return look_around(
        Host(), sys.executable, os.getcwd(), dict(os.environ), platform.machine(), trials=False
    )


@every_check_of_one_host
def test_a_check_answers_on_this_machine(
    unit: Unit[Surroundings], this_machine: Surroundings
) -> None:
    well_made(asked(unit, this_machine))
