"""A tool that was installed apart runs a script with its own Python: the verdict names the one that has the module."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from conftest import Outlive
from outlive.recorder.other_pythons import python_with


def environment(folder: Path, *files: str) -> Path:
    for name in ("bin/python", *files):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(0o755)
    return folder


HAS_IT = "lib/python3.12/site-packages/only_there/__init__.py"


@pytest.mark.parametrize("variable", ["VIRTUAL_ENV", "CONDA_PREFIX"])
def test_the_active_environment_is_found(variable: str, tmp_path: Path) -> None:
    active = environment(tmp_path / "active", HAS_IT)
    found = python_with("only_there", sys.prefix, str(tmp_path), {variable: str(active)})
    assert found == str(active / "bin" / "python")


@pytest.mark.parametrize(
    "file", ["lib/python3.12/site-packages/only_there.py", "lib/python3/dist-packages/only_there.py"]
)  # fmt: skip
def test_what_the_shell_would_find_is_found(file: str, tmp_path: Path) -> None:
    usual = environment(tmp_path / "usual", file)
    path = f"relative:{Path(sys.prefix) / 'bin'}:{tmp_path / 'nothing'}:{usual / 'bin'}"
    found = python_with("only_there", sys.prefix, str(tmp_path), {"PATH": path})
    assert found == str(usual / "bin" / "python")


def test_the_environment_of_the_project_is_found(tmp_path: Path) -> None:
    environment(tmp_path / ".venv", HAS_IT)
    found = python_with("only_there", sys.prefix, str(tmp_path), {})
    assert found == str(tmp_path / ".venv" / "bin" / "python")


def test_nothing_is_named_that_does_not_have_the_module(tmp_path: Path) -> None:
    active = environment(tmp_path / "active")
    assert not python_with("only_there", sys.prefix, str(tmp_path), {"VIRTUAL_ENV": str(active)})


def test_nothing_is_named_when_the_user_chose_the_python(tmp_path: Path) -> None:
    active = environment(tmp_path / "active", HAS_IT)
    assert not python_with("only_there", str(tmp_path), "/", {"VIRTUAL_ENV": str(active)})


def test_a_forged_name_is_not_looked_up(tmp_path: Path) -> None:
    active = environment(tmp_path / "active", "lib/python3.12/passwords.py")
    known = {"VIRTUAL_ENV": str(active)}
    assert not python_with("../passwords", sys.prefix, str(tmp_path), known)


def test_the_verdict_says_it_with_the_command_also_when_it_is_shared(
    outlive: Outlive, tmp_path: Path
) -> None:
    active = environment(tmp_path / "active", HAS_IT)
    outlive.script("train.py", "import only_there\n")
    ended = outlive("run", "train.py", "--epochs", "3", variables={"VIRTUAL_ENV": str(active)})
    assert ended.status == 1 and "Outlive used its own Python" in ended.stderr
    [remedy] = json.loads(outlive("why", "--json").stdout)["cause"]["remedies"]
    assert remedy["commands"] == [f"outlive run -- {active}/bin/python train.py --epochs 3"]
    assert "Outlive used its own Python" in outlive("why", "--share").stdout
