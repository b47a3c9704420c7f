"""A program of `programs/same`, what it says of itself in comments, and how its bare and its watched run compare.

One comment a line before the docstring: `# python: OPTIONS`, `# status: 3` or `# status: SIGKILL` (of the bare run), `# input: TEXT`,
`# environment: NAME=VALUE`, `# needs: root`, `# needs: module NAME`, `# needs: command NAME`, `# needs: fork`, `# python-at-least: 3.12`, `# python-below: 3.13`,
`# terminal: leader` or `# terminal: job` with `# types: TEXT` (each typed at one more `<ready>`), `# measures: memory` or `time` (its last line
is a number that is not compared byte by byte), `# slow` (only `make harmless`), `# ci` (in the sample of `make test`),
`# documented: PART: REASON` (this part differs, and must; docs/what-is-inside.md names the program), `# documented-on: 3.14: PART: REASON`,
`# same-on: 3.13t` (not there).
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from pythons import pythons

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(__file__).parent / "programs" / "same"
HEADER = re.compile(r"^# ([a-z-]+)(?:: ?(.*))?$")

#: Where an object lies differs from run to run, and so does the number of the process in a warning of Python's.
ADDRESS = re.compile(rb"0x[0-9a-f]{6,16}|(?<=\(pid=)\d+")

#: MB that a watched program may need more than a bare one; docs/what-is-inside.md promises it.
MARGIN_MB = 20.0

#: Of those that ask for nothing special, one in so many is in the sample of `make test`.
ONE_IN = 12


@dataclass(frozen=True)
class Program:
    """A program, and what it says of itself."""

    path: Path
    said: Mapping[str, tuple[str, ...]] = field(default_factory=dict, compare=False)

    @property
    def name(self) -> str:
        """Its path below the folder, without the ending."""
        return str(self.path.relative_to(FOLDER).with_suffix(""))

    def first(self, key: str) -> str:
        """What it says first under a key; empty when it says nothing."""
        return self.said.get(key, ("",))[0]

    def documented_on(self, version: str) -> dict[str, str]:
        """Part -> why it differs on a Python."""
        if version in self.said.get("same-on", ()):
            return {}
        here = [text.split(": ", 1) for text in self.said.get("documented-on", ())]
        texts = [*self.said.get("documented", ()), *(text for of, text in here if of == version)]
        return dict(text.split(": ", 1) for text in texts)

    @property
    def documented(self) -> bool:
        """Whether it differs anywhere."""
        return "documented" in self.said or "documented-on" in self.said

    @property
    def in_sample(self) -> bool:
        """Whether `make test` runs it."""
        if "slow" in self.said or self.first("needs").startswith("module"):
            return False
        return "ci" in self.said or zlib.crc32(self.name.encode()) % ONE_IN == 0

    @property
    def expected(self) -> int | None:
        """The status that its bare run must have; None where it does not say."""
        text = self.first("status")
        if text.startswith("SIG"):
            return -int(getattr(signal, text))
        return int(text) if text else None


class Seen(NamedTuple):
    """All that can be seen of a run from outside; what is compared, and how long it took."""

    status: int | str
    stdout: bytes
    stderr: bytes
    files: dict[str, object]
    terminal: object = None
    seconds: float = 0.0

    def parts(self, measured: bool) -> dict[str, object]:
        """What is compared, by name."""
        words = self.stdout.rstrip().rpartition(b"\n")[0] if measured else self.stdout
        plain = {"stdout": ADDRESS.sub(b"0x", words), "stderr": ADDRESS.sub(b"0x", self.stderr)}
        return self._asdict() | plain | {"seconds": None}

    @property
    def measure(self) -> float:
        """The number in the last line."""
        return float(self.stdout.split()[-1])


@lru_cache
def programs() -> tuple[Program, ...]:
    """All programs, by name."""
    return tuple(Program(path, _said(path)) for path in sorted(FOLDER.rglob("*.py")))


def _said(path: Path) -> dict[str, tuple[str, ...]]:
    said: dict[str, tuple[str, ...]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        found = HEADER.match(line)
        if found is None:
            break
        said[found[1]] = (*said.get(found[1], ()), found[2] or "")
    return said


def every_python() -> dict[str, str]:
    """Version -> interpreter; those that `make pythons` has fetched or built included."""
    fetched = sorted((ROOT / ".harmless" / "pythons").glob("*/bin/python"))
    found = pythons() | {path.parts[-3]: str(path) for path in fetched}
    return dict(sorted(found.items(), key=lambda one: _number(one[0])))


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


def want(program: Program, version: str, python: str) -> str:
    """Say why a program cannot run here; empty when it can."""
    number = _number(version)
    for least in program.said.get("python-at-least", ()):
        if number < _number(least):
            return f"only Python {least} and later can do this"
    for first in program.said.get("python-below", ()):
        if number >= _number(first):
            return f"Python {first} and later cannot do this"
    wants = (_want_one(need, python) for need in program.said.get("needs", ()))
    return next((text for text in wants if text), "")


def _want_one(need: str, python: str) -> str:
    kind, _, name = need.partition(" ")
    if kind == "root":
        return "" if os.geteuid() == 0 else "only root can do this"
    if kind == "module":
        return "" if _imports(python, name) else f"{name} is not installed for this Python"
    if kind == "gil":
        return "" if not _without_gil(python) else "only a Python with a global lock does this"
    assert kind == "command", need
    return "" if shutil.which(name) else f"there is no {name} here"


@lru_cache
def _imports(python: str, name: str) -> bool:
    code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({name!r}) is None)"
    return subprocess.run([python, "-c", code], check=False, capture_output=True).returncode == 0


@lru_cache
def _without_gil(python: str) -> bool:
    code = "import sys; sys.exit(getattr(sys, '_is_gil_enabled', lambda: True)())"
    return subprocess.run([python, "-c", code], check=False).returncode == 0


def command(program: Program, python: str) -> list[str]:
    """The words that start it."""
    return [python, *program.first("python").split(), str(program.path)]


def typed(program: Program) -> Iterator[str]:
    """What is typed at its terminal."""
    for text in program.said.get("types", ()):
        yield ast.literal_eval(f'"{text}"')


def given(program: Program) -> bytes:
    """What its standard input holds."""
    return str(ast.literal_eval(f'"{program.first("input")}"')).encode()


def variables(program: Program) -> dict[str, str]:
    """The variables that it wants."""
    pairs = (text.partition("=") for text in program.said.get("environment", ()))
    return {name: value for name, _, value in pairs}


def files_in(folder: Path) -> dict[str, object]:
    """Everything below a folder: kind, mode and contents; a compiled module holds times, so of it the name alone."""
    return {str(path.relative_to(folder)): _file(path) for path in sorted(folder.rglob("*"))}


def _file(path: Path) -> object:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        return os.readlink(path)
    if not stat.S_ISREG(mode) or path.suffix == ".pyc":
        return oct(mode)
    return oct(mode), ADDRESS.sub(b"0x", path.read_bytes())


def wrong_by_itself(program: Program, one: Seen, other: Seen) -> str:
    """Say what makes two bare runs no measure for a watched one; empty when they are one."""
    if one.status == "hung":
        return "the bare run did not end"
    differing = differences(program, one, other)
    if differing:
        return f"two bare runs differ in {', '.join(differing)}: {one} / {other}"
    if not (one.stdout or one.stderr or one.files or one.status):
        return "the bare run does nothing that could be seen"
    if program.expected is not None and one.status != program.expected:
        return f"the bare run ended with {one.status}: {one.stderr.decode(errors='replace')}"
    dies = "death" in program.said or "raise" in program.path.read_text(encoding="utf-8")
    if program.expected is None and one.status == 1 and not dies:
        return f"the bare run failed: {one.stderr.decode(errors='replace')}"
    return ""


def differences(program: Program, bare: Seen, watched: Seen) -> dict[str, str]:
    """Part -> how it differs."""
    measured = "measures" in program.said
    if measured and "hung" not in (bare.status, watched.status) and bare.status == watched.status:
        over = watched.measure - bare.measure
        if program.first("measures") == "memory" and over > MARGIN_MB:
            return {"memory": f"{over:.0f} MB more"}
    ours, theirs = bare.parts(measured), watched.parts(measured)
    return {
        part: f"{ours[part]!r:.2000}\n  watched: {theirs[part]!r:.2000}"
        for part in ours
        if ours[part] != theirs[part]
    }


def this_python() -> str:
    """The version of the Python that runs the tests."""
    return f"{sys.version_info[0]}.{sys.version_info[1]}"
