"""The user's own source as it may be shown: line for line, without the secrets that stand in it."""

from __future__ import annotations

import functools

from outlive.inside.notes.masking import mask_text, secrets_here


def shown_lines(text: str) -> tuple[str, ...]:
    """The lines of a source. The whole is masked at once: of a key that goes over many lines each line alone says nothing."""
    return _shown_lines(text, tuple(secrets_here()))


@functools.lru_cache(maxsize=32)
def _shown_lines(text: str, known: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(mask_text(text, known, keep_lines=True).split("\n"))


def shown_line(text: str, number: int) -> str:
    """One line, counted from 1; nothing where there is none."""
    lines = shown_lines(text)
    return lines[number - 1] if 0 < number <= len(lines) else ""
