"""Virtual environments: one per peer, so that no peer's start-up files or pins touch another or the bare runs."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

#: Installed in every environment; the reference Python's version is taken instead when it has one.
TENSORFLOW = "tensorflow-cpu==2.21.0"

#: What decides how fast the workloads are; peers get the reference's versions of these where pip allows it.
SPEED_MATTERS = ("tensorflow-cpu", "tensorflow", "keras", "numpy")

#: Shown in the report.
VERSIONS_OF = (*SPEED_MATTERS, "outlive", "memray", "filprofiler", "scalene")

READY = "ready.json"
SECONDS_TO_INSTALL = 3600
NOT_INSTALLABLE = "not installable here"

ASK_VERSIONS = """
import importlib.metadata, json, sys
found = {}
for name in sys.argv[1:]:
    try:
        found[name] = importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        pass
print(json.dumps(found))
"""

Say = Callable[[str], None]


@dataclass(frozen=True)
class Environment:
    """A Python and what is installed there; or why there is none."""

    python: Path
    versions: dict[str, str]
    problem: str = ""

    @property
    def has_tensorflow(self) -> bool:
        """Whether the workloads that need TensorFlow can run."""
        return "tensorflow-cpu" in self.versions or "tensorflow" in self.versions


def existing(python: Path) -> Environment:
    """The environment of a Python that is already there."""
    command = [str(python), "-c", ASK_VERSIONS, *VERSIONS_OF]
    found = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return Environment(python, json.loads(found.stdout))


def reference(folder: Path, repository: Path, needs_tensorflow: bool, say: Say) -> Environment:
    """Where the bare program and Outlive run: this Python, or a new environment if it lacks TensorFlow or Outlive."""
    here = existing(Path(sys.executable))
    if "outlive" in here.versions and (here.has_tensorflow or not needs_tensorflow):
        return here
    say("this Python lacks TensorFlow or Outlive: an environment with both is made")
    made = make(folder / "outlive", [["-e", str(repository), TENSORFLOW]], say)
    return here if made.problem and "outlive" in here.versions else made


def for_peer(folder: Path, package: str, like: Environment, say: Say) -> Environment:
    """The environment of a peer, with the reference's TensorFlow."""
    pins = [f"{name}=={like.versions[name]}" for name in SPEED_MATTERS if name in like.versions]
    tensorflow = next((pin for pin in pins if pin.startswith("tensorflow")), TENSORFLOW)
    return make(folder / package, [[package, *pins], [package, tensorflow]], say)


def make(folder: Path, choices: list[list[str]], say: Say) -> Environment:
    """Make an environment with the first of several lists of requirements that can be installed, or reuse it."""
    python = folder / "bin" / "python"
    wanted = {"choices": choices, "python": sys.version}
    try:
        kept = json.loads((folder / READY).read_text())
        if kept["wanted"] == wanted:
            return Environment(python, kept["versions"])
    except (OSError, ValueError, KeyError):
        pass
    say(f"making the environment {folder.name} (some minutes, once)")
    problem = ""
    try:
        _ignored_by_git(folder.parent)
        _run([sys.executable, "-m", "venv", "--clear", str(folder)])
        for requirements in choices:
            problem = _pip(python, requirements)
            if not problem:
                break
        if not problem:
            made = existing(python)
            kept = {"wanted": wanted, "versions": made.versions}
            (folder / READY).write_text(json.dumps(kept))
            return made
    except (OSError, subprocess.SubprocessError) as error:
        problem = str(error)
    say(f"{folder.name}: {NOT_INSTALLABLE}: {problem}")
    return Environment(python, {}, NOT_INSTALLABLE)


def _pip(python: Path, requirements: list[str]) -> str:
    """Install; the last line of pip's complaint, or nothing."""
    options = ["--quiet", "--disable-pip-version-check", "--no-input"]
    command = [str(python), "-m", "pip", "install", *options, *requirements]
    done = _run(command, check=False)
    lines = done.stderr.strip().splitlines()
    return "" if done.returncode == 0 else (lines[-1] if lines else f"pip: {done.returncode}")


def _run(command: list[str], check: bool = True) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, capture_output=True, text=True, timeout=SECONDS_TO_INSTALL, check=check
    )


def _ignored_by_git(folder: Path) -> None:
    """Gigabytes of packages must not turn up in `git status`, wherever the folder was put."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / ".gitignore").write_text("*\n")
