"""The map of the code and the other documents name what is there: every room, and modules that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import outlive

SOURCE = Path(outlive.__file__).parent
MAP = (Path(__file__).parents[2] / "docs" / "map.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`([a-z_]+/[a-z_/]+(?:\.(?:py|c))?)`", MAP)) - {"src/outlive"})
ROOMS = sorted(path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists())

ROOT = SOURCE.parents[1]
DOCUMENTS = sorted(
    str(path.relative_to(ROOT))
    for path in (ROOT / "README.md", *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/**/README.md"))
)
#: A file in a folder, as it is written: from the top of the repository, of the package, or of a room.
PATH = re.compile(r"`((?:[\w-]+/)+[\w-]+\.(?:py|c|h|sh|md|json))`")
#: The same in the texts of our own modules, where it stands between other marks, too.
PATH_IN_CODE = re.compile(
    rf"(?<![\w/.-])((?:src|tests|docs|bench|{'|'.join(ROOMS)})/[\w/-]+\.(?:py|c|h))\b"
)
OF_TENSORFLOW = {"data/ops/from_generator_op.py"}
DECISION = re.compile(r"(?:docs/adr/|\bADR )0*(\d+)\b")

#: As few as one can learn in an hour.
MOST_ROOMS = 15
MOST_MODULES = 22
FOLDERS_OF_UNITS = {
    f"units/{kind}"
    for kind in ("causes", "checks", "rules", "complaints", "remedies", "fixes", "watches")
}


@pytest.mark.parametrize("name", NAMED)
def test_what_the_map_names_is_there(name: str) -> None:
    home = SOURCE.parents[1] if name.startswith("tests/") else SOURCE
    assert (home / name).exists()


def test_the_map_has_one_sentence_for_every_room() -> None:
    assert ROOMS == sorted(re.findall(r"^\| `(\w+)` \| \S", MAP, re.M))


def test_the_way_of_a_death_names_a_module_at_every_step() -> None:
    way = MAP.partition("## One SIGKILL")[2].partition("\n## ")[0]
    steps = re.findall(r"^\d+\. .*$", way, re.M)

    assert len(steps) >= 8
    assert all(re.search(r"`[\w/]+\.py`", step) for step in steps)


def test_the_root_is_small() -> None:
    loose = {path.name for path in SOURCE.iterdir() if path.is_file()}

    assert {"__init__.py", "__main__.py", "errors.py", "py.typed"} == loose
    assert len(ROOMS) <= MOST_ROOMS


def test_no_folder_has_more_modules_than_one_can_look_over() -> None:
    folders = {path.parent for path in SOURCE.rglob("*.py")}
    large = {
        str(folder.relative_to(SOURCE))
        for folder in folders
        if len([path for path in folder.glob("*.py") if path.name != "__init__.py"]) > MOST_MODULES
    }

    assert large <= FOLDERS_OF_UNITS


def all_files() -> frozenset[str]:
    """Every file of the repository by each of its ends: ``inside/notes/format.py`` is ``format.py`` in ``notes``, too."""
    tops = ("src", "tests", "docs", "bench", "demo")
    paths = [path.relative_to(ROOT).parts for top in tops for path in (ROOT / top).rglob("*.*")]
    return frozenset("/".join(parts[at:]) for parts in paths for at in range(len(parts)))


def test_documents_name_files_that_are_there() -> None:
    there = all_files()
    named = {
        (document, name)
        for document in DOCUMENTS
        for name in PATH.findall((ROOT / document).read_text(encoding="utf-8"))
    }

    assert len(named) > 40
    assert set() == {(document, name) for document, name in named if name not in there}


def test_comments_and_docstrings_name_files_that_are_there() -> None:
    there = all_files()
    named = {
        (str(path.relative_to(ROOT)), name)
        for path in SOURCE.rglob("*.[pc]*")
        if path.suffix in (".py", ".c")
        for name in PATH_IN_CODE.findall(path.read_text(encoding="utf-8"))
    }

    assert len(named) > 10
    assert set() == {(module, name) for module, name in named if name not in there | OF_TENSORFLOW}


def test_decisions_that_are_named_were_written_down() -> None:
    numbers = {str(int(path.name[:4])) for path in (ROOT / "docs" / "adr").glob("*.md")}
    texts = [*map(ROOT.joinpath, DOCUMENTS), *SOURCE.rglob("*.py"), *SOURCE.rglob("*.c")]
    named = {
        (str(path.relative_to(ROOT)), number)
        for path in texts
        for number in DECISION.findall(path.read_text(encoding="utf-8"))
    }

    assert len(named) > 10
    assert set() == {(text, number) for text, number in named if number not in numbers}
