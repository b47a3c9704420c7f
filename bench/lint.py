"""`outlive lint` beside ruff and pylint on the same files: files a second.

    python bench/lint.py [--files 150] [--rounds 3] [--tree FOLDER] [--peers PYTHON]

Every tool is started as a user starts it, on one core, in alternation; counted is the processor time of the process and its children, start
included, so that other work on the machine hardly matters. The files are those of the installed Keras (or of FOLDER), every n-th so that there
are as many as asked for. PYTHON is one with pylint, ruff and libcst installed; what it lacks is left out with a word. LibCST is there to show
what parsing alone would cost with it (docs/adr/0008).
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PARSE_WITH_LIBCST = """
import pathlib, sys
import libcst
for path in sys.argv[1:]:
    libcst.parse_module(pathlib.Path(path).read_bytes())
"""


@dataclass(frozen=True)
class Tool:
    name: str
    command: tuple[str, ...]
    module: str  #: what the other Python must have for it


def tools(peers: str) -> list[Tool]:
    here = sys.executable
    return [
        Tool("outlive lint", (here, "-m", "outlive", "lint", "-j", "1", "--format", "json"), ""),
        Tool(
            "ruff check", (peers, "-m", "ruff", "check", "--isolated", "--no-cache", "-q"), "ruff"
        ),
        Tool("pylint", (peers, "-m", "pylint", "-j", "1", "--score=n"), "pylint"),
        Tool("LibCST, parsing alone", (peers, "-c", PARSE_WITH_LIBCST), "libcst"),
    ]


def has(python: str, module: str) -> bool:
    asked = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
    return subprocess.run([python, "-c", asked], check=False).returncode == 0


def processor_seconds(command: Sequence[str], files: Sequence[str]) -> float:
    """What a process and its children have used."""
    # without PYTHONDONTWRITEBYTECODE, which would make every start compile what it imports
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    nothing = subprocess.DEVNULL
    child = subprocess.Popen(
        [*command, *files],
        stdout=nothing,
        stderr=nothing,
        env=kept | {"RAYON_NUM_THREADS": "1"},
    )
    _, _, used = os.wait4(child.pid, 0)
    return used.ru_utime + used.ru_stime


def some_files(tree: Path, count: int) -> list[str]:
    """Every n-th file of a tree."""
    files = sorted(str(path) for path in tree.rglob("*.py"))
    return files[:: max(1, len(files) // count)][:count]


def installed_keras() -> Path:
    found = importlib.util.find_spec("keras")
    if found is None or found.origin is None:
        sys.exit("Keras is not installed here; give another tree: --tree FOLDER")
    return Path(found.origin).parent


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--files", type=int, default=150)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tree", type=Path)
    parser.add_argument("--peers", default=sys.executable, metavar="PYTHON")
    arguments = parser.parse_args()
    files = some_files(arguments.tree or installed_keras(), arguments.files)
    measured: dict[Tool, list[float]] = {}
    for tool in tools(arguments.peers):
        if tool.module and not has(arguments.peers, tool.module):
            print(f"{tool.name}: not installed", file=sys.stderr)
            continue
        processor_seconds(tool.command, files)  # the first start compiles what it imports
        measured[tool] = []
    for _ in range(arguments.rounds):
        for tool, seconds in measured.items():
            seconds.append(processor_seconds(tool.command, files))
    report(len(files), measured)
    return 0


def report(count: int, measured: dict[Tool, list[float]]) -> None:
    first = next(iter(measured))
    print(f"{count} files, {len(measured[first])} rounds, load {os.getloadavg()[0]:.1f}\n")
    print("| tool | files/s, one core | range | outlive is |\n|---|---|---|---|")
    for tool, seconds in measured.items():
        rates = [count / it for it in seconds]
        paired = [theirs / ours for theirs, ours in zip(seconds, measured[first], strict=True)]
        print(
            f"| {tool.name} | {statistics.median(rates):.0f} | {min(rates):.0f}–{max(rates):.0f} | "
            f"{statistics.median(paired):.2f}× |"
        )


if __name__ == "__main__":
    sys.exit(main())
