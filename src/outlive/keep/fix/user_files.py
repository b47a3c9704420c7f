"""Read the file that a finding is about: a module, or the notebook that a cell is in."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from outlive.keep.fix.propose import Text
from outlive.model.evidence import Evidence
from outlive.model.findings import Place
from outlive.source.cells import read_cells, source_of

#: Notebooks are looked for in the folder of the run and one below it.
MOST_NOTEBOOKS = 200


class UserFiles:
    """The user's files as they are now."""

    def __init__(self, folder: str, evidence: Evidence, command: Sequence[str]) -> None:
        self._folder = folder
        self._cells = evidence.notebook.cells
        self._command = command

    def text_of(self, place: Place) -> Text | str:
        """The file of a place; or why it cannot be read."""
        cell = next((cell for cell in self._cells if cell.name == place.file), None)
        if cell is not None:
            return self._of_a_cell(cell.code, place)
        path = os.path.join(self._folder, place.file)
        if not path.endswith(".py"):
            return f"{place.file} is neither a module nor a cell of a notebook"
        text = _read(path)
        return Text(path, text, place.line) if text is not None else f"{place.file} cannot be read"

    def _of_a_cell(self, code: str, place: Place) -> Text | str:
        for path in self._notebooks():
            text = _read(path)
            number = _cell_with(text, code) if text is not None else 0
            if text is None or not number:
                continue
            for line, there in enumerate(read_cells(text).places, 1):
                if (there.cell, there.line) == (number, place.line):
                    return Text(path, text, line)
        return (
            f"the notebook with {place.file} was not found in {self._folder}, or was changed since"
        )

    def _notebooks(self) -> Iterator[str]:
        named = [word for word in self._command if word.endswith(".ipynb")]
        yield from (os.path.join(self._folder, word) for word in named)
        count = 0
        for here, folders, names in os.walk(self._folder):
            folders[:] = [name for name in folders if not name.startswith(".")]
            if here != self._folder:
                folders[:] = []
            for name in sorted(names):
                if name.endswith(".ipynb") and count < MOST_NOTEBOOKS:
                    count += 1
                    yield os.path.join(here, name)


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except (OSError, UnicodeDecodeError):
        return None


def _cell_with(notebook: str, code: str) -> int:
    """The number of the cell with this text; 0 when there is none."""
    import json

    try:
        cells = json.loads(notebook)["cells"]
    except (ValueError, KeyError, TypeError):
        return 0
    for number, cell in enumerate(cells, 1):
        if cell.get("cell_type") == "code" and source_of(cell).strip() == code.strip():
            return number
    return 0
