"""What the long tests of hostile input count, as figures that docs/trust.py makes a table of: one file for each part."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from trust_figures import write_figures

#: A count whose name begins so is the largest that was seen; any other is a sum.
MOST = "most "


class Parts:
    """Collects what tests record as the property ``part``: the name of the part, and counts by name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.counts: dict[str, dict[str, Any]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what a test counted, once."""
        if report.when == "call":
            for name, value in report.user_properties:
                if name == "part":
                    self.add(*value)

    def add(self, part: str, counts: dict[str, Any]) -> None:
        """Add the counts of one test."""
        known = self.counts.setdefault(part, {})
        for name, count in counts.items():
            before = known.get(name, 0)
            known[name] = max(before, count) if name.startswith(MOST) else before + count

    def pytest_sessionfinish(self) -> None:
        """Write a file for each part that ran."""
        for part, counts in self.counts.items():
            write_figures(self.folder, part, counts)
