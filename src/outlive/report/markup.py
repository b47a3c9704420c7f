"""HTML that escapes by construction: a plain text that is put into markup is shown, never obeyed.

``Html`` is the type of markup. It is made here alone: from a template that stands in the source (a test holds that) and values, of which
only those that are ``Html`` already keep their tags. mypy refuses a plain ``str`` where ``Html`` is expected.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable
from importlib import resources
from typing import Any

from outlive.report.text import visible

#: What a sentence names as code; sought in text that is escaped already.
NAMED = re.compile("`([^`]+)`")

ASSETS = "page_assets"


class Html(str):
    """Markup that holds no text of unknown origin but escaped ones."""

    __slots__ = ()


def markup(template: str, *values: object) -> Html:
    """Fill a template of the source; every value that is not markup is escaped."""
    return Html(template.format(*map(_part, values)))


def joined(parts: Iterable[Html], between: str = "") -> Html:
    """Join markup; what stands between is text."""
    return Html(escaped(between).join(parts))


def escaped(text: str) -> Html:
    """Escape a text of unknown origin; its control characters are shown."""
    return Html(html.escape(visible(text), quote=True))


def lines(text: str) -> Html:
    """Escape a text of several lines."""
    return Html("\n".join(escaped(line) for line in text.splitlines()))


def prose(text: str) -> Html:
    """Escape a sentence; what it names in backquotes is code."""
    return Html(NAMED.sub(r"<code>\1</code>", escaped(text)))


def data(value: Any) -> Html:
    """Write data for a script as JSON that cannot end the element it stands in."""
    return Html(json.dumps(value, ensure_ascii=True).replace("<", "\\u003c"))


def asset(name: str, package: str = __package__, folder: str = ASSETS) -> Html:
    """Read a file of Outlive's own: a script or a style."""
    return Html((resources.files(package) / folder / name).read_text(encoding="utf-8"))


def _part(value: object) -> object:
    """Escape a value for a template; numbers keep their formats."""
    return value if isinstance(value, Html | int | float) else escaped(str(value))
