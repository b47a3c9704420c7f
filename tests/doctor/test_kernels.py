"""Notebook kernels: which Python each runs, and whether Outlive watches it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from broken_environments import Environment, make_environment
from made_machines import ask
from outlive.doctor.look.everything import look_around
from outlive.inside.machine.host import Host
from outlive.model.findings import State
from outlive.model.surroundings import Surroundings


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return make_environment(tmp_path / "env")


def kernel(environment: Environment, name: str, *command: str, **more: object) -> None:
    folder = environment.folder / "share" / "jupyter" / "kernels" / name
    folder.mkdir(parents=True)
    argv = [*command, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (folder / "kernel.json").write_text(json.dumps({"argv": argv, "language": "python", **more}))


def look(environment: Environment, tmp_path: Path, **variables: str) -> Surroundings:
    home = {"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"}
    return look_around(Host(), environment.python, "/", home | variables, "x86_64", trials=False)


def mine(here: Surroundings, environment: Environment) -> dict[str, tuple[str, bool, bool]]:
    """The kernels of this environment; the machine may have others."""
    return {
        kernel.name: (kernel.python, kernel.exists, kernel.watched)
        for kernel in here.kernels
        if kernel.folder.startswith(str(environment.folder))
    }


def test_a_kernel_of_this_python_is_fine(environment: Environment, tmp_path: Path) -> None:
    kernel(environment, "python3", "python")
    environment.metadata("ipykernel", "7.4.0")

    here = look(environment, tmp_path)

    assert {"python3": (environment.python, True, False)} == mine(here, environment)
    answer = ask("kernel-unready", here)
    assert State.FINE == answer.state
    assert "not watched by Outlive" in answer.findings[0].says


def test_a_kernel_whose_python_is_gone_will_fail(environment: Environment, tmp_path: Path) -> None:
    kernel(environment, "old", "/gone/bin/python")

    answer = ask("kernel-unready", look(environment, tmp_path))

    assert State.WILL_FAIL == answer.state
    assert "The kernel old runs /gone/bin/python, which does not exist" in answer.findings[0].says


def test_an_environment_that_no_kernel_runs_is_told(
    environment: Environment, tmp_path: Path
) -> None:
    kernel(environment, "other", "/bin/sh")
    environment.metadata("ipykernel", "7.4.0")

    answer = ask("kernel-unready", look(environment, tmp_path))

    assert State.WARNING == answer.state
    assert "No kernel runs this Python" in answer.findings[0].says


def test_a_garbled_kernel_is_passed_over(environment: Environment, tmp_path: Path) -> None:
    for name, text in {
        "empty": "",
        "list": "[]",
        "words": '{"argv": "python"}',
        "none": '{"argv": []}',
    }.items():
        folder = environment.folder / "share" / "jupyter" / "kernels" / name
        folder.mkdir(parents=True)
        (folder / "kernel.json").write_text(text)

    assert {} == mine(look(environment, tmp_path), environment)


def test_what_outlive_watches_is_told(environment: Environment, tmp_path: Path) -> None:
    """By its wrapper, by its provisioner, by its server extension, by the variable; another provisioner goes before the server's."""
    from outlive.jupyter.enabling import Scope, enable, kernel_spec

    provisioner = {"kernel_provisioner": {"provisioner_name": "outlive-provisioner"}}
    other = {"kernel_provisioner": {"provisioner_name": "remote"}}
    kernel(environment, "wrapped", *kernel_spec(brake=False)["argv"][:3])
    kernel(environment, "provisioned", "python", metadata=provisioner)
    kernel(environment, "remote", "python", metadata=other)
    kernel(environment, "plain", "python")

    def watched(here: Surroundings) -> set[str]:
        return {name for name, (_, _, seen) in mine(here, environment).items() if seen}

    assert {"wrapped", "provisioned"} == watched(look(environment, tmp_path))
    everything = look(environment, tmp_path, JUPYTER_DEFAULT_PROVISIONER_NAME="outlive-provisioner")
    assert {"wrapped", "provisioned", "plain"} == watched(everything)
    enable(Scope("user", str(tmp_path / "home" / ".jupyter"), str(tmp_path / "home" / "data")))
    assert {"wrapped", "provisioned", "plain"} == watched(look(environment, tmp_path))
