"""Who is measured: the bare program, Outlive, and the peers, each with the command that starts a program under it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

#: Given the Python of the subject, a folder for its output and the program: the command to start.
Command = Callable[[Path, Path, list[str]], list[str]]

BARE = "bare"
CONTROL = "control"
OUTLIVE = "outlive"


@dataclass(frozen=True)
class Subject:
    """One way to run a program."""

    name: str
    shown: str
    command: Command
    package: str = (
        ""  #: what pip installs beside TensorFlow; none: it runs in the reference environment
    )


def _bare(python: Path, output: Path, program: list[str]) -> list[str]:
    return [str(python), *program]


def _outlive(python: Path, output: Path, program: list[str]) -> list[str]:
    # The installed command is what people type, and its start costs a little more than that of `python -m`.
    script = python.parent / "outlive"
    start = [str(script)] if script.exists() else [str(python), "-m", "outlive"]
    return [*start, "run", *program]


def _memray(python: Path, output: Path, program: list[str]) -> list[str]:
    return [_installed(python, "memray"), "run", "-q", "-o", str(output / "out.bin"), *program]


def _memray_native(python: Path, output: Path, program: list[str]) -> list[str]:
    options = ["-q", "--native", "-o", str(output / "out.bin")]
    return [_installed(python, "memray"), "run", *options, *program]


def _fil(python: Path, output: Path, program: list[str]) -> list[str]:
    return [_installed(python, "fil-profile"), "-o", str(output), "--no-browser", "run", *program]


def _scalene(python: Path, output: Path, program: list[str]) -> list[str]:
    return [_installed(python, "scalene"), "run", "-o", str(output / "out.json"), *program]


def _installed(python: Path, script: str) -> str:
    # The link is not followed: a virtual environment's Python points out of it, its scripts lie beside the link.
    return str(python.parent / script)


SUBJECTS = {
    subject.name: subject
    for subject in (
        Subject(BARE, "bare", _bare),
        Subject(CONTROL, "bare again (control)", _bare),
        Subject(OUTLIVE, "outlive run", _outlive),
        Subject("memray", "memray run", _memray, "memray"),
        Subject("memray-native", "memray run --native", _memray_native, "memray"),
        Subject("fil", "fil-profile run", _fil, "filprofiler"),
        Subject("scalene", "scalene run", _scalene, "scalene"),
    )
}

PEERS = tuple(name for name, subject in SUBJECTS.items() if subject.package)
