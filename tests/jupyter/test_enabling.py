"""Switched on, a server watches every kernel; switched off, nothing is left."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from conftest import Done, Outlive
from notebook_kernels import require_jupyter

require_jupyter()

pytestmark = pytest.mark.notebook


@pytest.fixture
def here(outlive: Outlive, tmp_path: Path) -> tuple[Outlive, dict[str, str], Path]:
    """A user whose Jupyter folders do not exist yet."""
    folder = tmp_path / "user"
    folder.mkdir()
    variables = {
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
    }
    return outlive, variables, folder


def jupyter(here: tuple[Outlive, dict[str, str], Path], *words: str) -> Done:
    outlive, variables, _ = here
    return outlive("jupyter", *words, variables=variables)


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_it_is_switched_on_once_however_often(here: tuple[Outlive, dict[str, str], Path]) -> None:
    assert 0 == jupyter(here, "enable", "--user").status
    first = files(here[2])

    assert 0 == jupyter(here, "enable", "--user").status

    assert first == files(here[2])
    told = json.loads(first["config/jupyter_server_config.d/outlive.json"])
    assert {"ServerApp": {"jpserver_extensions": {"outlive.jupyter.extension": True}}} == told
    assert "data/labextensions/outlive/static/remoteEntry.js" in first


def test_switched_off_it_leaves_nothing_of_ours_and_no_folder_less(
    here: tuple[Outlive, dict[str, str], Path],
) -> None:
    empty = here[2] / "data" / "labextensions"
    empty.mkdir(parents=True)
    jupyter(here, "enable", "--user")

    done = jupyter(here, "disable", "--user")

    assert 0 == done.status
    assert {} == files(here[2])
    assert [] == list(here[2].rglob("outlive"))
    assert empty.is_dir(), "a folder that was there before is not ours to remove"
    assert "was not enabled" in jupyter(here, "disable", "--user").stderr


def test_what_others_have_put_under_our_names_stays(
    here: tuple[Outlive, dict[str, str], Path],
) -> None:
    theirs = here[2] / "config" / "jupyter_server_config.d" / "outlive.json"
    theirs.parent.mkdir(parents=True)
    theirs.write_text('{"mine": 1}')

    refused = jupyter(here, "enable", "--user")
    jupyter(here, "disable", "--user")

    assert 0 != refused.status
    assert "does not belong to Outlive" in refused.stderr
    assert '{"mine": 1}' == theirs.read_text()


def test_files_of_others_in_our_folders_stay(here: tuple[Outlive, dict[str, str], Path]) -> None:
    jupyter(here, "enable", "--user")
    for name in ("labextensions/outlive/notes.txt", "kernels/outlive/logo.png"):
        (here[2] / "data" / name).write_text("mine")

    jupyter(here, "enable", "--user")
    jupyter(here, "disable", "--user")

    assert {"data/labextensions/outlive/notes.txt", "data/kernels/outlive/logo.png"} == set(
        files(here[2])
    )


def test_what_others_have_switched_on_stays(here: tuple[Outlive, dict[str, str], Path]) -> None:
    other = here[2] / "config" / "jupyter_server_config.d" / "other.json"
    other.parent.mkdir(parents=True)
    other.write_text("{}")
    jupyter(here, "enable", "--user")

    jupyter(here, "disable", "--user")

    assert {"config/jupyter_server_config.d/other.json": b"{}"} == files(here[2])


def test_the_status_tells_what_is_on(here: tuple[Outlive, dict[str, str], Path]) -> None:
    before = jupyter(here, "status")
    jupyter(here, "enable", "--user")

    after = jupyter(here, "status")

    assert "user  off" in before.stdout
    assert 0 == after.status
    assert 3 == after.stdout.count("user  on ")


def test_the_kernel_for_other_launchers_begins_with_the_supervisor(
    here: tuple[Outlive, dict[str, str], Path],
) -> None:
    jupyter(here, "enable", "--user")

    spec = json.loads((here[2] / "data" / "kernels" / "outlive" / "kernel.json").read_text())

    assert [sys.executable, "-m", "outlive.jupyter.ipykernel_launcher", "--"] == spec["argv"][:4]
    assert "{connection_file}" in spec["argv"]


def test_without_jupyter_it_says_what_to_install(outlive: Outlive) -> None:
    blocked = outlive.folder / "blocked"
    blocked.mkdir()
    code = (
        "import sys\nclass No:\n    def find_spec(self, name, path=None, target=None):\n"
        "        if name.partition('.')[0] == 'jupyter_core': raise ImportError(name)\n"
        "sys.meta_path.insert(0, No())\nfrom outlive.__main__ import main\nsys.exit(main(['jupyter', 'status']))"
    )
    script = outlive.script("blocked/ask.py", code)
    import subprocess

    done = subprocess.run(
        [sys.executable, str(script)], env=os.environ, capture_output=True, text=True, timeout=60
    )

    assert 3 == done.returncode
    assert "pip install 'outlive[jupyter]'" in done.stderr


def test_a_look_at_each_cell_is_switched_on_with_it_and_off_without(
    here: tuple[Outlive, dict[str, str], Path],
) -> None:
    jupyter(here, "enable", "--user", "--foresee")
    config = here[2] / "config/jupyter_server_config.d/outlive.json"
    kernel = here[2] / "data/kernels/outlive/kernel.json"

    assert json.loads(config.read_text())["ServerApp"]["jpserver_extensions"]["outlive.jupyter.foresee"]  # fmt: skip
    assert "--foresee" in json.loads(kernel.read_text())["argv"]

    jupyter(here, "enable", "--user")
    assert "foresee" not in config.read_text() + kernel.read_text()
