"""What holds for the manual page of a unit of any kind."""

from __future__ import annotations

import re
from typing import Any

from outlive.units.unit import Kind, UnitOf


def check_page(unit: UnitOf[Any, Any], kind: Kind[Any, Any]) -> None:
    """Fail unless the page is one sentence, and then a text below each heading of its kind."""
    parts = re.split(r"^## .+$", unit.doc, flags=re.MULTILINE)

    assert list(kind.headings) == re.findall(r"^## (.+)$", unit.doc, re.MULTILINE)
    assert unit.headline.endswith(".")
    assert unit.headline == parts[0].strip(), "the headline is one line"
    assert 1 == len(re.findall(r"[.!?](?:\s|$)", unit.headline)), "the headline is one sentence"
    assert all(part.strip() for part in parts), "no heading without a text"
    assert re.fullmatch(r"\d+\.\d+", unit.since)
