"""Edits applied to a text, by lines and columns as Python's parser counts them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from outlive.model.findings import Edit

LINE = re.compile(rb".*?(?:\r\n|\r|\n)|.+", re.DOTALL)


def apply_edits(text: str, edits: Sequence[Edit]) -> str:
    """Edits that do not meet, applied from the last to the first so that none moves another."""
    lines = LINE.findall(text.encode("utf-8", "surrogatepass"))
    for edit in sorted(edits, key=lambda it: (it.line, it.column), reverse=True):
        front = lines[edit.line - 1][: edit.column]
        back = lines[edit.end_line - 1][edit.end_column :]
        lines[edit.line - 1 : edit.end_line] = [front + edit.text.encode() + back]
    return b"".join(lines).decode("utf-8", "surrogatepass")
