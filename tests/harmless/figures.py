"""What `make harmless` has seen, as figures that docs/trust.py makes its tables of."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from harmless.comparing import every_python
from outlive import __version__
from pythons import FIRST, LAST

#: A free-threaded build that `make pythons` can make; the others are told by their numbers.
FREE_THREADED = "3.13t"


class Figures:
    """Collects what the comparisons say of themselves, and writes it when all are done."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.seen: list[list[Any]] = []
        self.skipped: dict[str, Counter[str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take what a comparison noted, once."""
        if report.when == "call":
            self.seen += [value for name, value in report.user_properties if name == "same"]
        if report.skipped and isinstance(report.longrepr, tuple):
            version = report.nodeid.rstrip("]").rpartition("-")[2]
            reasons = self.skipped.setdefault(version, Counter())
            reasons[report.longrepr[2].removeprefix("Skipped: ")] += 1

    def pytest_sessionfinish(self) -> None:
        """Write the file."""
        if self.seen:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(json.dumps(figures(self.seen, self.skipped), indent=1) + "\n")


def figures(seen: list[list[Any]], skipped: dict[str, Counter[str]]) -> dict[str, Any]:
    """One entry for each Python that ran, those that are wanted and not here, and the measured programs by name."""
    versions = {row[1] for row in seen}
    return {
        "part": "programs",
        "pythons": {
            version: _of(
                [row for row in seen if row[1] == version], skipped.get(version, Counter())
            )
            for version in sorted(versions, key=_number)
        },
        "absent": [version for version in wanted() if version not in every_python()],
        "measured": _measured(seen),
    }


def wanted() -> list[str]:
    """The Pythons that the recorder must work in."""
    numbers = range(FIRST[1], LAST[1] + 1)
    return sorted([*(f"3.{number}" for number in numbers), FREE_THREADED], key=_number)


def _number(version: str) -> tuple[int, str]:
    return int(version.strip("t")[2:]), version


def _of(rows: list[list[Any]], skipped: Counter[str]) -> dict[str, Any]:
    kinds = Counter(row[2] for row in rows)
    return {
        "date": time.strftime("%Y-%m-%d"),
        "version": __version__,
        "tried": len(rows),
        "same": kinds["same"],
        "documented": kinds["documented"],
        "differs": {row[0]: row[5] for row in sorted(rows) if row[2] == "differs"},
        "noise": {row[0]: row[5] for row in sorted(rows) if row[2] == "noise"},
        "skipped": dict(sorted(skipped.items())),
        "seconds more, median": round(median(row[4] - row[3] for row in rows), 2),
    }


def _measured(seen: list[list[Any]]) -> dict[str, dict[str, list[float]]]:
    """Program -> Python -> bare and watched, of those that measure themselves."""
    made: dict[str, dict[str, list[float]]] = {}
    for name, version, _, bare, watched, _ in seen:
        if name.startswith("measured/"):
            made.setdefault(name, {})[version] = [bare, watched]
    return dict(sorted(made.items()))
