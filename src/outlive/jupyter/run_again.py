"""The variables are gone with the kernel: which cells bring back those that the dead cell uses?"""

from __future__ import annotations

from collections.abc import Sequence

from outlive.coroner.readings.notebook import without_magics
from outlive.model.events import Cell
from outlive.source.needed_cells import needed_cells

#: A longer list is hardly read; all cells from the first on do the same.
MOST_NAMED = 8


def run_again(cells: Sequence[Cell]) -> str:
    """Say which cells to run before the one that died, by the numbers that the notebook shows; nothing when it needs none."""
    typed = [cell for cell in cells if not cell.silent and cell.count is not None]
    dead = next((cell for cell in reversed(typed) if not cell.done), None)
    if dead is None:
        return ""
    earlier = [cell for cell in typed if cell is not dead]
    texts = [without_magics(cell.code) for cell in earlier]
    found = needed_cells(texts, without_magics(dead.code))
    shown = {cell.cell: cell.count for cell in earlier if cell.cell}  # run twice, it shows the last
    numbers = sorted({shown.get(earlier[at].cell) or earlier[at].count or 0 for at in found})
    if not numbers:
        return ""
    return f"The variables are gone. First run {_named(numbers)} again, then this cell."


def _named(numbers: Sequence[int]) -> str:
    """Name cells as the notebook does: "[1]–[3] and [5]"."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    words = []
    for run in runs:
        words += [f"[{n}]" for n in run] if len(run) < 3 else [f"[{run[0]}]–[{run[-1]}]"]
    if len(words) > MOST_NAMED:
        return f"[{numbers[0]}]–[{numbers[-1]}]"
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
