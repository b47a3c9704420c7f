"""A verdict as a cell shows it: the text of the terminal, with colours as tracebacks have them, and the curve of the memory."""

from __future__ import annotations

import io

from rich.console import Console

from outlive.model.evidence import Evidence
from outlive.model.fact_names import MEMORY_LIMIT
from outlive.model.findings import Verdict, size
from outlive.report.curve import CURVE_CELLS
from outlive.report.curve import curve as blocks
from outlive.report.headline import kernel_name
from outlive.report.terminal import neighbours_of
from outlive.report.text import render, visible

#: What a notebook shows without breaking lines.
WIDTH = 96

#: A curve through fewer points, or one that is flat, says nothing.
FEWEST_SAMPLES = 4
RISE_WORTH_SHOWING_BYTES = 50_000_000


def headline(verdict: Verdict) -> str:
    """The cause in one sentence, with the place."""
    cause = verdict.cause
    if cause is None:
        return f"the kernel {verdict.ending.detail}; cause unknown"
    where = f" ({cause.where.file}, line {cause.where.line})" if cause.where else ""
    return f"{cause.says}{where}"


def one_line(verdict: Verdict) -> list[str]:
    """An error for a cell that shows the verdict above it; its value is the whole sentence."""
    cause = verdict.cause
    at = f" at {cause.where.file}, line {cause.where.line}" if cause and cause.where else ""
    return [f"KernelDied: {cause.slug if cause else 'cause unknown'}{visible(at)} (see above)"]


def traceback(verdict: Verdict, evidence: Evidence, again: str = "") -> list[str]:
    """The whole verdict as an error of the cell that died."""
    died = "KernelDied: the kernel of this notebook died."
    return [died, *as_lines(verdict, evidence, again)]


def as_lines(verdict: Verdict, evidence: Evidence, again: str = "") -> list[str]:
    """The whole verdict with the marks of a terminal, line by line."""
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
    name = kernel_name(evidence.run.program.notebook) or "the kernel"
    render(verdict, console, neighbours_of(evidence), name)
    return [
        *curve(evidence),
        *stream.getvalue().splitlines(),
        *([f"  \x1b[1mNext\x1b[0m     {again}"] if again else []),
    ]


def curve(evidence: Evidence) -> list[str]:
    """The memory over the kernel's life, as one line of text."""
    drawn = memory_curve(evidence)
    return [f"  Memory   {drawn[0]}  {drawn[1]}"] if drawn else []


def memory_curve(evidence: Evidence, cells: int = CURVE_CELLS) -> tuple[str, str] | None:
    """The memory over the kernel's life, as a row of bars and in words: of all that share its limit, else its own and its children's."""
    limit = evidence.run.fact(MEMORY_LIMIT)
    points = [
        (
            sample.at,
            sample.used_bytes if limit and sample.used_bytes is not None else sample.tree_rss_bytes,
        )
        for sample in evidence.run.samples
    ]
    sizes = [used for _, used in points]
    if len(points) < FEWEST_SAMPLES or max(sizes) - min(sizes) < RISE_WORTH_SHOWING_BYTES:
        return None
    highest, seconds = max(sizes), points[-1][0] - points[0][0]
    top = limit if isinstance(limit, int) and limit < 2 * highest else 0
    bars = blocks(points, cells, top)
    of = f" of {size(limit)}" if isinstance(limit, int) else ""
    return bars, f"{size(highest)}{of} in {seconds:.0f} s"


def as_text(verdict: Verdict, evidence: Evidence, again: str = "") -> str:
    """For a place that shows plain text."""
    from rich.text import Text

    return "\n".join(Text.from_ansi(line).plain for line in as_lines(verdict, evidence, again))
