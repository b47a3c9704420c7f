"""A curve of memory in one row of blocks, by time: for `outlive top`, `--live`, `outlive compare` and the cell of a notebook."""

from __future__ import annotations

from collections.abc import Sequence

from outlive.model.events import Sample

BLOCKS = "▁▂▃▄▅▆▇█"
CURVE_CELLS = 48

#: Seconds since the start, and bytes.
Point = tuple[float, int]


def own_memory(samples: Sequence[Sample]) -> list[Point]:
    """List what the program and its children had in memory, sample by sample."""
    return [(sample.at, sample.tree_rss_bytes) for sample in samples]


def curve(points: Sequence[Point], most_cells: int = CURVE_CELLS, highest: int = 0) -> str:
    """Draw the highest value of each part of the time; the scale ends at the highest, if that is given.

    By time and not by number: near the limit there are twenty samples a second, before it one.
    """
    if not points:
        return ""
    cells = min(most_cells, len(points))
    first, last = points[0][0], points[-1][0]
    tops = [0] * cells
    for at, value in points:
        cell = int((at - first) / max(last - first, 0.001) * cells)
        cell = min(max(cell, 0), cells - 1)  # a clock may have been set back
        tops[cell] = max(tops[cell], value)
    for cell in range(1, cells):  # between two samples it stayed what it was
        tops[cell] = tops[cell] or tops[cell - 1]
    highest = max(highest, *tops) or 1
    return "".join(BLOCKS[min(len(BLOCKS) - 1, len(BLOCKS) * top // (highest + 1))] for top in tops)
