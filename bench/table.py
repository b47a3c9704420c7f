"""Tables, as plain text for a terminal and as Markdown for a README."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

TEXT_WIDTH = 100


@dataclass(frozen=True)
class Table:
    """A title, a sentence on what the figures are, and the figures."""

    title: str
    says: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def as_text(table: Table) -> str:
    """Columns as wide as their longest cell; the first to the left, figures to the right."""
    widths = [max(map(len, column)) for column in zip(table.header, *table.rows, strict=True)]
    lines = [table.title, *textwrap.wrap(table.says, TEXT_WIDTH), ""]
    lines += [_text_row(table.header, widths), "  ".join("-" * width for width in widths)]
    lines += [_text_row(row, widths) for row in table.rows]
    return "\n".join(lines) + "\n"


def as_markdown(table: Table) -> str:
    """A table that GitHub and PyPI show."""
    rule = ("---", *["---:"] * (len(table.header) - 1))
    lines = [f"### {table.title}", "", table.says, ""]
    lines += [_markdown_row(row) for row in (table.header, rule, *table.rows)]
    return "\n".join(lines) + "\n"


def _text_row(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *figures = cells
    padded = [first.ljust(widths[0])]
    padded += [cell.rjust(width) for cell, width in zip(figures, widths[1:], strict=True)]
    return "  ".join(padded).rstrip()


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
