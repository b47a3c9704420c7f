"""Who may know whom, what is public, and what may be loaded before the program starts."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import outlive

SOURCE = Path(outlive.__file__).parent
ROOT = Path(__file__).parent.parent.parent
MODULES = sorted(SOURCE.rglob("*.py"))

#: What would cost more than the rest of the start together.
HEAVY = {
    "typing", "json", "dataclasses", "rich", "click", "re", "inspect", "subprocess", "threading", "tempfile",
    "shutil", "pathlib", "logging", "argparse", "datetime", "ctypes", "socket", "glob", "linecache",
}  # fmt: skip


def child(code: str, *options: str, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, *options, "-c", code],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert 0 == done.returncode, done.stderr
    return done.stdout


def test_the_contracts_on_imports_are_kept() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()",
         "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )  # fmt: skip

    assert 0 == done.returncode, done.stdout + done.stderr
    assert "0 broken" in done.stdout


def test_the_public_names_are_these() -> None:
    assert [
        "__version__",
        "BatchTooLarge",
        "MemoryBrake",
        "PressureCallback",
        "SessionClosed",
        "SkipsLess",
        "adaptive",
        "bound",
        "detect",
        "limit",
        "on_pressure",
        "predict",
        "ray",
        "shared_session",
        "skip_bad",
    ] == outlive.__all__
    assert all(hasattr(outlive, name) for name in outlive.__all__)


def test_every_verdict_goes_through_the_gate_that_hides_secrets() -> None:
    """Whoever called ``decide`` itself would tell a verdict with secrets in it. ``judge_evidence`` is the one that may."""
    callers = [
        str(path.relative_to(SOURCE))
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if (isinstance(node, ast.alias) and node.name.rpartition(".")[2] == "decide")
        or (isinstance(node, ast.Attribute) and node.attr == "decide")
        or (isinstance(node, ast.ImportFrom) and node.module == "outlive.coroner.examine"
            and any(alias.name == "*" for alias in node.names))
    ]  # fmt: skip

    assert ["coroner/judge.py"] == callers


def test_importing_outlive_loads_nothing_else_of_it() -> None:
    code = (
        "import sys, outlive; print(*[name for name in sys.modules if name.startswith('outlive')])"
    )

    assert ["outlive"] == child(code).split()


START = f"""
import sys
sys.path.insert(0, {str(SOURCE.parent)!r})
before = set(sys.modules)
import os
def told(*args, **kwargs):
    print(*sorted(set(sys.modules) - before))
    sys.stdout.flush()
    os._exit(0)
os.posix_spawnp = os.posix_spawn = told
if hasattr(os, "fork"):
    os.fork = told
from outlive.__main__ import main
main(["run", "/bin/true"])
"""


def test_nothing_heavy_is_loaded_before_the_program_starts(tmp_path: Path) -> None:
    loaded = child(START, "-S", OUTLIVE_HOME=str(tmp_path)).split()

    assert {"outlive.cli.run_program.run", "outlive.recorder.supervisor"} <= set(loaded)
    assert not {name.partition(".")[0] for name in loaded} & HEAVY
    folders = {name for name in loaded if (SOURCE.parent / name.replace(".", "/")).is_dir()}
    assert len(set(loaded) - folders | {"outlive"}) < 40, loaded  # a folder is a docstring


def test_a_healthy_run_needs_none_of_the_heavy_modules(tmp_path: Path) -> None:
    code = f"""
import sys
sys.path.insert(0, {str(SOURCE.parent)!r})
import os
def told(status):
    os.write(2, " ".join(sys.modules).encode())
    real(status)
real, os._exit = os._exit, told
from outlive.__main__ import main
main(["run", "/bin/true"])
"""
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env=os.environ | {"OUTLIVE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert 0 == done.returncode
    assert "outlive" in loaded
    assert not loaded & {"rich", "click", "dataclasses", "typing", "inspect"}


def test_no_module_of_outlive_needs_what_it_diagnoses() -> None:
    code = """
import importlib, pkgutil, sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("tensorflow", "keras", "numpy", "pandas", "PIL"):
            raise ImportError(f"{name} is not installed")
sys.meta_path.insert(0, Refuse())
import outlive
count = 0
for info in pkgutil.walk_packages(outlive.__path__, "outlive."):
    if info.name != "outlive.__main__" and not info.name.endswith(("sitecustomize", "_shim")):
        importlib.import_module(info.name)
        count += 1
print(count)
"""

    assert int(child(code)) > 40


def test_a_supervisor_works_where_tensorflow_is_not_installed(tmp_path: Path) -> None:
    """With an environment that has only what pyproject.toml names."""
    code = f"""
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("tensorflow", "keras", "numpy", "psutil"):
            raise ImportError(name)
sys.meta_path.insert(0, Refuse())
from outlive.__main__ import main
main(["run", "--json", {sys.executable!r}, "-c", "raise SystemExit(3)"])
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"OUTLIVE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert 3 == done.returncode
    assert "exited-by-program" == json.loads(done.stderr)["cause"]["slug"]


def imports_of(path: Path) -> set[str]:
    """Everything that a module imports at its top, but for what only a type checker reads."""
    found = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.add(node.module or "")
    return found


#: What runs in a child of `outlive plan` and not in the watched program, and what only the supervisor loads, may import more.
OUTSIDE = {"plan", "machine"}
INSIDE = [
    path
    for path in sorted((SOURCE / "inside").rglob("*.py"))
    if path.relative_to(SOURCE / "inside").parts[0] not in OUTSIDE
]


@pytest.mark.parametrize("path", INSIDE, ids=lambda path: path.name)
def test_what_is_loaded_inside_imports_the_standard_library_alone(path: Path) -> None:
    roots = {name.partition(".")[0] for name in imports_of(path)}

    assert roots <= set(sys.stdlib_module_names)
    assert not roots & {"typing", "json", "dataclasses", "threading", "subprocess", "logging"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_only_the_edges_print(path: Path) -> None:
    name = str(path.relative_to(SOURCE))
    printing = {
        "__main__.py",
        "doctor/cluster/command.py",
        "cli/command_line.py",
        "cli/compare.py",
        "cli/completion.py",
        "cli/explain.py",
        "cli/runs.py",
        "detection/leased_progress.py",
        "cli/many_runs/fleet.py",
        "cli/many_runs/job.py",
        "detection/progress.py",
        "doctor/command.py",
        "jupyter/command_line.py",
        "report/write_page.py",
        "keep/bound/plan_command.py",
        "keep/fix/command.py",
        "keep/rehearse/command.py",
        "data/scan/command.py",
        "pytest_plugin/afterwards.py",
        "pytest_plugin/plugin.py",
        "report/terminal.py",
        "cli/live.py",
    }
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    prints = [call for call in calls if getattr(call.func, "id", "") == "print"]

    assert not prints or name in printing


def test_the_package_is_typed_and_its_version_is_one() -> None:
    assert (SOURCE / "py.typed").exists()
    assert 3 == len(outlive.__version__.split("."))


def test_the_sitecustomize_can_be_read_by_the_oldest_pythons() -> None:
    text = (SOURCE / "inside" / "start" / "path" / "sitecustomize.py").read_text()
    tree = ast.parse(text)

    assert not [node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr | ast.AnnAssign)]
    annotated = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.returns
    ]
    assert [] == annotated


def test_the_frames_of_other_threads_are_asked_for_in_one_place() -> None:
    asking = [
        path.name
        for path in SOURCE.rglob("*.py")
        if "sys._current_frames" in path.read_text() or "_current_exceptions" in path.read_text()
    ]

    assert ["frames.py"] == asking, (
        "on 3.12 and later it corrupts the heap, see inside/start/frames.py"
    )
