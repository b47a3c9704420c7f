"""The wheel that people install: made by `make wheels`, it needs no compiler."""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

import conftest
from release import try_wheel, wheels

ROOT = Path(__file__).resolve().parent.parent.parent
HERE = f"manylinux_2_17_{platform.machine()}"
TAGS = {
    f"py3-none-manylinux_2_17_{platform.machine()}",
    f"py3-none-manylinux2014_{platform.machine()}",
}
LIBRARY = "outlive/inside/_shim.so"

hatch_build = conftest.hatch_build()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return wheels.build_wheel(HERE, tmp_path_factory.mktemp("dist"))


def test_its_name_and_its_metadata_say_what_it_needs_and_auditwheel_agrees(wheel: Path) -> None:
    wheels.check(wheel, HERE)
    assert wheel.name.endswith(f"-py3-none-{HERE}.manylinux2014_{platform.machine()}.whl")
    with zipfile.ZipFile(wheel) as archive:
        [about] = [name for name in archive.namelist() if name.endswith(".dist-info/WHEEL")]
        said = archive.read(about).decode().splitlines()
    assert {line.partition(": ")[2] for line in said if line.startswith("Tag: ")} == TAGS
    assert "Root-Is-Purelib: false" in said


def test_it_contains_the_library_once_and_all_that_git_has_of_the_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        library = archive.read(LIBRARY)
    assert names.count(LIBRARY) == 1 and library[:4] == b"\x7fELF"
    assert str(ROOT).encode() not in library
    asked = ["git", "-C", str(ROOT / "src"), "ls-files", "outlive"]
    tracked = subprocess.run(asked, stdout=subprocess.PIPE, text=True, check=True).stdout
    assert set(tracked.splitlines()) <= set(names)
    assert not [name for name in names if name.startswith("tests")]


def test_another_build_gives_the_same_bytes(wheel: Path, tmp_path: Path) -> None:
    again = wheels.build_wheel(HERE, tmp_path)
    assert again.read_bytes() == wheel.read_bytes()


def test_the_wheel_for_any_other_machine_is_without_the_library_that_lies_in_the_tree(
    tmp_path: Path,
) -> None:
    assert (ROOT / hatch_build.LIBRARY).exists()
    wheel = wheels.build_wheel(hatch_build.ANY, tmp_path)
    wheels.check(wheel, hatch_build.ANY)
    assert wheel.name.endswith("-py3-none-any.whl")
    assert (ROOT / hatch_build.LIBRARY).exists()


@pytest.mark.death
def test_installed_without_a_compiler_it_names_a_signals_sender_and_a_crashs_line(
    wheel: Path, tmp_path: Path
) -> None:
    environment = tmp_path / "environment"
    venv.create(environment, symlinks=True)
    python = environment / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    subprocess.run([*pip, "--no-index", "--no-deps", str(wheel)], check=True)
    # What it depends on is here already; the editable Outlive of this environment is not found that way.
    site = sysconfig.get_path("purelib", vars={"base": str(environment)})
    (Path(site) / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    asked = [str(python), "-c", "import outlive; print(outlive.__file__)"]
    found = subprocess.run(asked, stdout=subprocess.PIPE, text=True, check=True, cwd=tmp_path)
    assert found.stdout.startswith(str(environment))
    outlive = environment / "bin" / "outlive"
    try_wheel.signal_names_its_sender(outlive, tmp_path)
    try_wheel.crash_names_its_line(outlive, tmp_path)


def test_the_release_workflow_pins_every_action_to_a_commit_and_says_which_version_it_is() -> None:
    workflow = (ROOT / ".github" / "workflows" / "release.yml").read_text()
    used = re.findall(r"uses: (.+)", workflow)
    assert len(used) > 5
    assert [line for line in used if not re.fullmatch(r"\S+@[0-9a-f]{40} # v[\d.]+", line)] == []


def test_a_platform_that_is_not_known_is_refused_and_the_known_ones_are_named(
    tmp_path: Path,
) -> None:
    with pytest.raises(hatch_build.ShimNotBuilt, match=HERE):
        hatch_build.cross_compile_shim("amiga", ROOT / hatch_build.SOURCES, tmp_path / "_shim.so")
    assert os.listdir(tmp_path) == []
