"""A verdict as a cell shows it: the text of the terminal, with colours as tracebacks have them, and the curve of the memory."""

from __future__ import annotations

import io
from collections.abc import Sequence

from rich.console import Console

from outlive.evidence import Evidence
from outlive.model import Verdict, size
from outlive.report.text import render
from outlive.showing import neighbours_of

#: What a notebook shows without breaking lines.
WIDTH = 96
CURVE_WIDTH = 48
BARS = "▁▂▃▄▅▆▇█"

#: A curve through fewer points, or one that is flat, says nothing.
FEWEST_SAMPLES = 4
RISE_WORTH_SHOWING_BYTES = 50_000_000


def headline(verdict: Verdict) -> str:
    """The cause in one sentence, with the place."""
    cause = verdict.cause
    if cause is None:
        return f"the kernel {verdict.ending.detail}; the cause is not known"
    where = f" ({cause.where.file}, line {cause.where.line})" if cause.where else ""
    return f"{cause.says}{where}"


def traceback(verdict: Verdict, evidence: Evidence) -> list[str]:
    """The whole verdict, line by line."""
    stream = io.StringIO()
    console = Console(
        file=stream,
        width=WIDTH,
        force_terminal=True,
        color_system="standard",
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        force_jupyter=False,
        _environ={},
    )
    render(verdict, console, neighbours_of(evidence))
    return [
        "KernelDied: the kernel of this notebook died.",
        *curve(evidence),
        *stream.getvalue().splitlines(),
    ]


def curve(evidence: Evidence) -> list[str]:
    """The memory over the kernel's life, as one line of bars: of all that share its limit, else its own and its children's."""
    limit = evidence.fact("memory limit")
    points = [
        (
            sample.at,
            sample.used_bytes if limit and sample.used_bytes is not None else sample.tree_rss_bytes,
        )
        for sample in evidence.samples
    ]
    sizes = [used for _, used in points]
    if len(points) < FEWEST_SAMPLES or max(sizes) - min(sizes) < RISE_WORTH_SHOWING_BYTES:
        return []
    first, last = points[0][0], points[-1][0]
    columns = [0] * CURVE_WIDTH
    for at, used in points:
        column = int((at - first) / max(last - first, 0.001) * (CURVE_WIDTH - 1))
        columns[column] = max(columns[column], used)
    for number in range(1, CURVE_WIDTH):  # between two looks it stayed what it was
        columns[number] = columns[number] or columns[number - 1]
    top = max(max(columns), limit if isinstance(limit, int) and limit < 2 * max(columns) else 0)
    bars = "".join(BARS[min(7, value * 8 // max(top, 1))] for value in columns)
    of = f" of {size(limit)}" if isinstance(limit, int) else ""
    return [f"  Memory   {bars}  {size(max(columns))}{of} in {last - first:.0f} s"]


def as_text(verdict: Verdict, evidence: Evidence) -> str:
    """For a place that shows plain text."""
    return "\n".join(lines_without_colour(traceback(verdict, evidence)))


def lines_without_colour(lines: Sequence[str]) -> list[str]:
    """Without the marks of a terminal."""
    from rich.text import Text

    return [Text.from_ansi(line).plain for line in lines]
