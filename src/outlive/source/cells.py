"""A notebook as one module: the code cells below each other, magics made harmless, every line known by its cell."""

from __future__ import annotations

import json
import re
from dataclasses import field
from typing import Any

from outlive.model.quick_dataclass import dataclass
from outlive.source.syntax import parse

#: Magics of a whole cell whose body is Python all the same.
PYTHON_MAGICS = ("time", "timeit", "capture", "prun", "memit", "mprun", "debug", "outlive")

#: A line that the shell of a notebook acts upon, or `files = !ls`.
MAGIC = re.compile(
    r"^(?P<indent>\s*)(?:(?P<target>\w[\w.,\s]{0,300}?)\s{0,40}=\s*)?(?P<mark>[%!?]).*$"
)
NAME_OF_MAGIC = re.compile(r"^\s{0,100}(?:\w[\w, ]{0,300}=\s{0,40})?%(%?\w+)")
HELP = re.compile(r"^\s*[\w.]+\?{1,2}\s*$")

#: Magics that need no mark when nothing else has their name.
UNMARKED = re.compile(
    r"^(?:ls|ll|cd|pwd|pip|conda|mamba|uv|cp|mv|rm|mkdir|rmdir|cat|less|more|man|who|whos)(?:\s+[^=\s(].*)?$"
)


@dataclass(frozen=True, slots=True)
class CellLine:
    """Where a line of the text stands in the notebook."""

    cell: int  #: from 1
    line: int  #: from 1
    indent: int = 0  #: what was taken off at its left: a cell may be indented as a whole


@dataclass(frozen=True, slots=True)
class Cells:
    """The text of a notebook, and where each of its lines stands."""

    text: str
    places: tuple[CellLine, ...]  #: of each line of the text
    unread: dict[int, str] = field(default_factory=dict)  #: cells that are not Python, and why
    #: The names of those that are used anywhere; of a whole cell's with a % in front.
    magics: frozenset[str] = frozenset()


def read_cells(notebook: str) -> Cells:
    """The code cells of a notebook. ``ValueError`` when it is none."""
    data = json.loads(notebook)
    if not isinstance(data, dict) or not isinstance(data.get("cells"), list):
        raise ValueError("it has no cells")
    lines: list[str] = []
    places: list[CellLine] = []
    unread: dict[int, str] = {}
    magics: set[str] = set()
    for number, cell in enumerate(data["cells"], 1):
        if not isinstance(cell, dict) or cell.get("cell_type") != "code":
            continue
        written = source_of(cell).split("\n")
        dedented = _dedented(written)
        magics.update(found[1] for line in dedented if (found := NAME_OF_MAGIC.match(line)))
        mine, trouble = _as_python(dedented)
        if trouble:
            unread[number] = trouble
        lines += mine
        for line, (before, after) in enumerate(zip(written, dedented, strict=True), 1):
            places.append(CellLine(number, line, len(before) - len(after)))
    return Cells("\n".join(lines) + "\n", tuple(places), unread, frozenset(magics))


def source_of(cell: dict[str, Any]) -> str:
    """The text of a cell, which may be kept as a list of lines."""
    source = cell.get("source", "")
    return source if isinstance(source, str) else "".join(source)


def write_cells(notebook: str, changed: dict[int, str]) -> str:
    """The notebook with the text of some cells replaced, written as it was written before."""
    data = json.loads(notebook)
    for number, text in changed.items():
        cell = data["cells"][number - 1]
        as_list = isinstance(cell.get("source"), list)
        cell["source"] = text.splitlines(keepends=True) if as_list else text
    found = re.match(r"\{\r?\n(?P<indent>[ \t]+)", notebook)
    ending = "\n" if notebook.endswith("\n") else ""
    return json.dumps(data, indent=found["indent"] if found else None, ensure_ascii=False) + ending


def _dedented(lines: list[str]) -> list[str]:
    """A notebook takes off what its first line is indented by."""
    first = next((line for line in lines if line.strip()), "")
    indent = first[: len(first) - len(first.lstrip(" \t"))]
    return [line.removeprefix(indent) for line in lines] if indent else lines


def _as_python(lines: list[str]) -> tuple[list[str], str]:
    """The lines of a cell with everything that is not Python made empty, and what could not be made so."""
    if _parses(lines):
        return lines, ""
    if lines and lines[0].lstrip().startswith("%%"):
        name = lines[0].strip().removeprefix("%%").split(" ")[0]
        if name not in PYTHON_MAGICS:
            return [""] * len(lines), ""
        lines = ["", *lines[1:]]
    plain: list[str] = []
    goes_on = False
    for line in lines:
        found = MAGIC.match(line)
        if goes_on:
            plain.append("")
            goes_on = line.endswith("\\")
        elif found or HELP.match(line) or UNMARKED.match(line):
            indent = found["indent"] if found else ""
            target = found["target"] if found else None
            plain.append(f"{indent}{target} = None" if target else f"{indent}pass")
            goes_on = line.endswith("\\")
        else:
            plain.append(line)
    if _parses(plain):
        return plain, ""
    return [""] * len(lines), "it is not Python that can be read"


def _parses(lines: list[str]) -> bool:
    try:
        parse("\n".join(lines))
    except (SyntaxError, ValueError):
        return False
    return True
