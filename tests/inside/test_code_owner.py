"""Whose code a file is, asked in the watched program, of a record, and of a line in a verdict: one answer."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from outlive.coroner.readings.source_lines import SourceLines
from outlive.inside.start.code_owner import (
    LIBRARY,
    OUTLIVE,
    USER,
    CodeOwner,
    library_folders,
    package_of,
)
from outlive.model.findings import Place

PROJECT = "/home/user/project"
VENV = "/opt/venv/lib/python3.11/site-packages"
LIBRARIES = ["/usr/lib/python3.11", VENV]
HERE = os.path.dirname(sys.modules["outlive"].__file__ or "")

OWNERS = [
    ("a script", f"{PROJECT}/train.py", USER, ""),
    ("a script, as it was typed", "train.py", USER, ""),
    ("a module beside it", f"{PROJECT}/pkg/model.py", USER, ""),
    ("a module elsewhere", "/srv/shared/tool.py", USER, ""),
    ("a package", f"{VENV}/keras/src/layer.py", LIBRARY, "keras"),
    ("a package of one file", f"{VENV}/six.py", LIBRARY, "six"),
    ("a package of another Python", "/x/lib/python3.9/site-packages/a/b.py", LIBRARY, "a"),
    ("Debian's packages", "/usr/lib/python3/dist-packages/yaml/reader.py", LIBRARY, "yaml"),
    ("Colab's packages", "/usr/local/lib/python3.12/dist-packages/six.py", LIBRARY, "six"),
    (
        "an environment in the project",
        f"{PROJECT}/.venv/lib/python3.12/site-packages/numpy/core.py",
        LIBRARY,
        "numpy",
    ),
    ("packages put into a folder", f"{PROJECT}/site-packages/flat.py", LIBRARY, "flat"),
    ("a folder that only sounds so", "/home/user/site-packages-of-mine/x.py", USER, ""),
    ("the standard library", "/usr/lib/python3.11/json/decoder.py", LIBRARY, ""),
    ("that of another Python", "/usr/lib64/python3.9/os.py", LIBRARY, ""),
    ("a free-threaded Python's", "/opt/lib/python3.14t/os.py", LIBRARY, ""),
    ("pyenv's", "/home/user/.pyenv/versions/3.12.1/lib/python3.12/threading.py", LIBRARY, ""),
    ("the standard library, packed", "/usr/lib/python311.zip/json/decoder.py", LIBRARY, ""),
    ("a folder that only sounds so, too", "/usr/lib/python3.11-extras/mine.py", USER, ""),
    ("the user's archive", f"{PROJECT}/app.zip/app/main.py", USER, ""),
    ("the user's zipapp", f"{PROJECT}/app.pyz/__main__.py", USER, ""),
    ("a packed package", f"{PROJECT}/.eggs/flat-1.0-py3.11.egg/flat/a.py", LIBRARY, ""),
    ("a wheel on the path", "/srv/wheels/flat-1.0-py3-none-any.whl/flat/a.py", LIBRARY, ""),
    ("the import system", "<frozen importlib._bootstrap>", LIBRARY, ""),
    ("runpy", "<frozen runpy>", LIBRARY, ""),
    ("NumPy's dispatch", "<__array_function__ internals>", LIBRARY, ""),
    ("python -c", "<string>", USER, ""),
    ("a script from a pipe", "<stdin>", USER, ""),
    ("a prompt", "<console>", USER, ""),
    ("Python 3.13's prompt", "<python-input-4>", USER, ""),
    ("a cell of IPython's", "<ipython-input-3-abc>", USER, ""),
    ("a cell of ipykernel's", "/tmp/ipykernel_77/12345.py", USER, ""),
    ("what AutoGraph made", "/tmp/__autograph_generated_fileabc.py", LIBRARY, ""),
    ("an extension by Cython", "pandas/_libs/lib.pyx", LIBRARY, ""),
    ("Outlive's recorder", f"{HERE}/inside/events/hooks.py", OUTLIVE, ""),
    ("Outlive's worker", f"{HERE}/jobs/worker.py", OUTLIVE, ""),
    ("Outlive's recorder elsewhere", "/srv/outlive/inside/events/hooks.py", OUTLIVE, ""),
    ("that of 0.1", "/srv/outlive/record/inside/hooks.py", OUTLIVE, ""),
    ("an editable library", "/home/user/git/mylib/src/mylib/layer.py", USER, ""),
]


@pytest.mark.parametrize(
    ("file", "owner", "package"), [row[1:] for row in OWNERS], ids=[row[0] for row in OWNERS]
)
def test_everybody_gives_the_same_answer(file: str, owner: str, package: str) -> None:
    inside = CodeOwner(LIBRARIES)
    outside = SourceLines(PROJECT, LIBRARIES)

    assert owner == inside.owner(file) == inside.owner(file)
    assert (owner == USER) == inside.is_users(file) == outside.is_own(file)
    assert package == package_of(file) == Place(file, 1).package
    assert (owner == USER) == SourceLines("").is_own(file), "though it could not tell its folders"


def test_a_package_of_outlive_itself_is_outlives_where_it_is_installed_too() -> None:
    assert OUTLIVE == CodeOwner().owner(f"{VENV}/outlive/inside/agent.py")


def test_an_extension_of_the_users_is_known_by_its_source(tmp_path: Path) -> None:
    (tmp_path / "fast.pyx").write_text("x = 1\n")

    assert USER == CodeOwner(folder=str(tmp_path)).owner("fast.pyx")
    assert LIBRARY == CodeOwner(folder=str(tmp_path)).owner("faster.pyx")


def test_a_name_without_a_folder_is_asked_again_after_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = tmp_path / "site-packages"
    installed.mkdir()
    owner = CodeOwner()
    monkeypatch.chdir(tmp_path)
    assert owner.is_users("a.py")

    monkeypatch.chdir(installed)
    assert not owner.is_users("a.py")


def test_this_process_knows_its_libraries() -> None:
    owner = CodeOwner(library_folders())

    assert LIBRARY == owner.owner(os.__file__) == owner.owner(pytest.__file__)
    assert USER == owner.owner(__file__)
