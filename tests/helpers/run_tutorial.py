"""Run a tutorial as its reader would: write its files, type its commands, compare what is printed.

A fence of code with ``file=NAME`` is written to that file. A fence ``console run`` is typed, command by command, into one shell. What stands
below a command must be printed by it, in that order; other lines may come between, and ``...`` shows where the page leaves some out. Blanks count as
one, ``…`` stands for anything within a line.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECONDS = 250
DEMO = Path(__file__).resolve().parent.parent.parent / "demo"

#: Between the outputs of two commands.
MARK = "\x1e"

LIMITED = """\
#!{python}
import subprocess, sys
sys.path.insert(0, {demo!r})
from limited import enter, memory_group
with memory_group(int(sys.argv[1])) as group:
    status = subprocess.call(sys.argv[2:], preexec_fn=lambda: enter(group))
sys.exit(status if status >= 0 else 128 - status)
"""


@dataclass
class Typed:
    """A command and what it should print."""

    command: str
    expected: list[str] = field(default_factory=list)


def steps(text: str) -> Iterator[tuple[str, object]]:
    """The files to write and the commands to type, in the order of the tutorial."""
    for language, info, body in FENCE.findall(text):
        words = info.split()
        for word in words:
            if word.startswith("file="):
                yield "file", (word.removeprefix("file="), body)
        if language == "console" and "run" in words:
            yield "typed", commands_in(body)


def commands_in(block: str) -> list[Typed]:
    """What stands after a ``$``, and below it."""
    typed: list[Typed] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            typed.append(Typed(line[2:]))
        elif typed:
            typed[-1].expected.append(line)
    return typed


def tools(folder: Path) -> str:
    """A PATH on which `python` and `outlive` are the ones under test, and `limited` limits memory."""
    folder.mkdir(parents=True)
    scripts = {
        "python": f'#!/bin/sh\nexec {sys.executable} "$@"\n',
        "outlive": f'#!/bin/sh\nexec {sys.executable} -m outlive "$@"\n',
        "limited": LIMITED.format(python=sys.executable, demo=str(DEMO)),
    }
    if shutil.which("jupyter", path=os.path.dirname(sys.executable)) is None:
        start = (
            "import sys; sys.argv[:2] = ['jupyter-execute']; from nbclient.cli import main; main()"
        )
        scripts["jupyter"] = f'#!/bin/sh\nexec {sys.executable} -c "{start}" "$@"\n'
    for name, text in scripts.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    return os.pathsep.join([str(folder), os.path.dirname(sys.executable), os.environ["PATH"]])


def play(tutorial: Path, folder: Path, environment: dict[str, str]) -> None:
    """Do all that the tutorial says; an AssertionError names the first line that is not true."""
    environment = environment | {"PATH": tools(folder / "bin"), "HOME": str(folder)}
    work = folder / "work"
    work.mkdir()
    for kind, what in steps(tutorial.read_text(encoding="utf-8")):
        if kind == "file":
            name, text = what
            (work / name).write_text(text, encoding="utf-8")
            continue
        script = "".join(f"{it.command}\nprintf '\\n{MARK}\\n'\n" for it in what)
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=work,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=SECONDS,
            check=False,
        )
        *outputs, rest = done.stdout.split(f"{MARK}\n")
        assert len(what) == len(outputs), f"the shell ended: {rest}"
        for it, printed in zip(what, outputs, strict=True):
            compare(it, printed)


def compare(typed: Typed, printed: str) -> None:
    """Each expected line, in order."""
    lines = [words(line) for line in printed.splitlines() if line.strip()]
    place = 0
    for expected in typed.expected:
        if expected.strip() in ("...", ""):
            continue
        pattern = re.compile(".*".join(map(re.escape, words(expected).split("…"))))
        found = next(
            (at for at in range(place, len(lines)) if pattern.fullmatch(lines[at])),
            None,
        )
        told = f"$ {typed.command}\nshould print {expected!r}, but printed:\n{printed}"
        assert found is not None, told
        place = found + 1


def words(line: str) -> str:
    """A line with its blanks made one."""
    return " ".join(line.split())
