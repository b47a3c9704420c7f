"""Every program in ``programs/same`` does the same, bare and watched: its status, its words, its files.

A program says what it needs in comments: ``# python: OPTIONS``, ``# needs: root``, ``# python-at-least: 3.12``, ``# death``.
"""

import os
import re
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "programs" / "same"
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.py"))

#: The oldest and the newest run them all, the one in between what changed with it.
ON_OTHERS = [
    (name, version)
    for name in PROGRAMS
    for version in ("3.9", "3.12", "3.13")
    if version != "3.12" or "fork" in name or name in ("unshares", "daemonizes", "multiprocesses")
]


def needs(source, name):
    found = re.search(rf"^# {name}:(.*)$", source, re.MULTILINE)
    return found.group(1).split() if found else []


def files_in(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def compare(name, python, version, runner, tmp_path):
    source = (FOLDER / f"{name}.py").read_text()
    if "root" in needs(source, "needs") and os.geteuid() != 0:
        pytest.skip("only root can do this")
    for least in needs(source, "python-at-least"):
        if version < tuple(map(int, least.split("."))):
            pytest.skip(f"only Python {least} and later can do this")
    command = [python, *needs(source, "python"), str(FOLDER / f"{name}.py")]
    endings, files = [], []
    for how, run in (("bare", runner.bare), ("watched", runner.watched)):
        folder = tmp_path / how
        folder.mkdir()
        endings.append(run(*command, cwd=folder))
        files.append(files_in(folder))
    bare, watched = endings
    dies = "# death" in source
    assert dies or bare.status != 1 or "raise" in source, bare.stderr.decode()
    assert bare.status == watched.status
    assert bare.stdout == watched.stdout
    assert bare.stderr == watched.stderr[: len(bare.stderr)]
    assert bare.status != 0 or bare.stderr == watched.stderr
    assert files[0] == files[1]


@pytest.mark.death
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_does_the_same_bare_and_watched(name, runner, tmp_path):
    compare(name, sys.executable, sys.version_info[:2], runner, tmp_path)


@pytest.mark.death
@pytest.mark.parametrize(("name", "version"), ON_OTHERS)
def test_a_program_does_the_same_on_other_pythons(name, version, runner, python_of, tmp_path):
    compare(name, python_of(version), tuple(map(int, version.split("."))), runner, tmp_path)
