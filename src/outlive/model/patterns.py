"""Patterns and texts with an end: what a program prints must not decide how long it takes to read it.

A pattern of ``re`` that is tried at every place of a text, and takes any number of characters at each, works with the square of the text's
length: 60,000 ``=`` took 37 s of CPU. So no repeat in a pattern that meets text from outside is unlimited, none begins a pattern without
something before it that must not be there, and no text is longer than it needs to be. ``tests/model/test_patterns.py`` holds every pattern to it.
"""

from __future__ import annotations

import re

#: Longer than the paths, shapes and names in messages; all that is shown of a message are 300 characters.
LONGEST_REPEAT = 500

#: The program writes 6000 down (see inside/notes/describe.py); a record from elsewhere may say anything.
LONGEST_MESSAGE = 8000
LONGEST_LINE = 2000
LONGEST_LOG = 160_000

#: An escaped character, a class of characters, or a repeat without an end.
PART = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|[*+]", re.DOTALL)


def bounded(pattern: str, flags: int = 0, most: int = LONGEST_REPEAT) -> re.Pattern[str]:
    """Compile a pattern; what it repeats without an end is repeated at most so many times."""
    finite = {"*": f"{{0,{most}}}", "+": f"{{1,{most}}}"}
    return re.compile(PART.sub(lambda part: finite.get(part[0], part[0]), pattern), flags)


def has_word(text: str, word: str, then: str = "") -> bool:
    """Whether a text holds a word by itself, with ``then`` right after it."""
    return re.search(rf"\b{re.escape(word)}{re.escape(then) or chr(92) + 'b'}", text) is not None


def excerpt(text: str, most: int = LONGEST_MESSAGE) -> str:
    """Return a text, or of one that is longer its beginning and its end."""
    if len(text) <= most:
        return text
    return f"{text[: most // 2]} … {text[len(text) - most // 2 :]}"
