"""A cause costs two files: a source and a victim. Both are added to a copy of the repository, and every law holds there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import outlive.units.causes
import victim_runner as stage
from conftest import ROOT

TESTS = Path(__file__).parent.parent
MADE_UP = TESTS / "made_up_cause"
CAUSES = Path(outlive.units.causes.__path__[0])
SOURCE, VICTIM = "file_size_limit", "checkpoint_past_the_file_size_limit"
SLUG = SOURCE.replace("_", "-")

#: A test file that looks at every cause or every victim imports one of these, from one of those who list them.
READS_A_LIST = re.compile(
    r"^from (?:outlive\.units[\w.]*|made_evidence|victim_runner|recorded_deaths) import .*\b(?:discover|KINDS|UNITS|victims)\b",
    re.M,
)

#: Started programs by the dozen; what they look at of causes, `outlive explain` and a death, is looked at below.
SLOW = {"test_commands", "test_causes", "test_new_cause"}
QUICK = "not death and not browser and not notebook and not tf and not harmless"

#: Of the laws over all modules those that a cause can break.
OVER_MODULES = ("test_the_contracts_on_imports_are_kept", "test_only_the_edges_print")


#: Of a law that is asked about every cause, every victim or every module, only what is new is asked: of the others it was asked already.
OF_THE_NEW_CAUSE = f"""
def pytest_collection_modifyitems(config, items):
    new = {[SLUG, SOURCE, VICTIM]!r}
    asked = [item for item in items if "[" not in item.name or any(word in item.name for word in new)]
    config.hook.pytest_deselected(items=[item for item in items if item not in asked])
    items[:] = asked
"""


def laws() -> list[Path]:
    """Every test file that reads a list of causes or victims."""
    files = [path for path in sorted(TESTS.rglob("test_*.py")) if path.stem not in SLOW]
    return [path for path in files if READS_A_LIST.search(path.read_text())]


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository with the two new files."""
    target = tmp_path_factory.mktemp("repository") / "outlive"
    shutil.copytree(ROOT, target, ignore=shutil.ignore_patterns(".*", "site"))
    for name, folder in ((SOURCE, CAUSES), (VICTIM, stage.HERE / "causes")):
        shutil.copy(MADE_UP / f"{name}.py", target / folder.relative_to(ROOT))
    return target


def run_in(copy: Path, *words: str) -> str:
    """Run Python in the copy, with the copy's Outlive; returns what it printed."""
    path = os.pathsep.join([str(copy / "src"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, *words], cwd=copy, env=os.environ | {"PYTHONPATH": path},
        capture_output=True, text=True, timeout=500, check=False,
    )  # fmt: skip
    assert 0 == done.returncode, (done.stdout + done.stderr)[-4000:]
    return done.stdout


def pytest_in(copy: Path, *words: str) -> str:
    """Run tests of the copy; returns what it says of each."""
    return run_in(copy, "-m", "pytest", "-q", "-rA", "-p", "no:cacheprovider", *words)


def test_the_laws_that_are_known_by_name_are_found() -> None:
    names = {path.stem for path in laws()}

    assert {"test_units", "test_manual", "test_readme", "test_check_laws", "test_rules"} <= names
    assert {"test_searching", "test_bench_deaths", "test_environment_causes"} <= names


@pytest.mark.timeout(600)
def test_every_law_holds_with_a_cause_that_added_only_its_two_files(copy: Path) -> None:
    files = [str(path.relative_to(ROOT)) for path in laws()]
    (copy / "tests" / "of_the_new_cause.py").write_text(OF_THE_NEW_CAUSE)
    architecture = (TESTS / "project" / "test_architecture.py").relative_to(ROOT)
    plugin = ("-p", "tests.of_the_new_cause")
    over_modules = [f"{architecture}::{it}" for it in OVER_MODULES]
    told = pytest_in(copy, *plugin, "-m", QUICK, *files, *over_modules)

    for law in ("test_units", "test_manual", "test_searching"):
        assert re.search(rf"PASSED \S*{law}\.py::\S*\[{SLUG}\]", told), law


@pytest.mark.death
@pytest.mark.timeout(600)
def test_the_new_victim_dies_of_the_new_cause_and_its_twin_lives(copy: Path) -> None:
    told = pytest_in(
        copy, str((TESTS / "units" / "test_causes.py").relative_to(ROOT)), "-k", VICTIM
    )

    assert 2 == len(re.findall(rf"PASSED \S*\[{VICTIM}\]", told))


@pytest.mark.timeout(300)
def test_the_new_cause_is_explained_and_in_the_manual(copy: Path, tmp_path: Path) -> None:
    run_in(copy, "docs/build.py", str(tmp_path / "site"))

    assert SLUG in run_in(copy, "-m", "outlive", "explain").split()
    assert "EFBIG" in run_in(copy, "-m", "outlive", "explain", SLUG)
    assert SLUG in run_in(copy, "-m", "outlive", "explain", "Errno 27 File too large").split()
    assert "File too large" in (tmp_path / "site" / f"{SLUG}.html").read_text()
    assert f"{SLUG}.html" in (tmp_path / "site" / "causes.html").read_text()
