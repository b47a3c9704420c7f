"""The notebook that was run."""

from __future__ import annotations

from outlive.model.events import Cell
from outlive.model.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Notebook:
    """The cells of a notebook: those that were run, and those in its file."""

    cells: tuple[Cell, ...] = ()  #: in the order in which they were run
    texts: tuple[str, ...] = ()  #: of all cells in the order of the file, when that is known
