"""Asks the watches, side by side, about the same window; each is heard once in a run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from outlive.inside.notes import kinds
from outlive.model.findings import Finding
from outlive.model.outlook.window import Window
from outlive.recorder.watching.history import History
from outlive.units.unit import Unit, discover, watch

#: All watches together take about a millisecond.
SECONDS_BETWEEN_QUESTIONS = 2.0


class Watching:
    """Follows the samples of one run, of a living program or of its record, and gives what the watches say."""

    def __init__(self, watches: Sequence[Unit[Window]] | None = None) -> None:
        self._watches = list(discover(watch) if watches is None else watches)
        self._history = History()
        self._next = 0.0

    def remember(self, samples: Iterable[Mapping[str, Any]]) -> None:
        """Take in what was sampled before anybody was asked."""
        for sample in samples:
            self._history.add(sample)

    def saw(self, sample: Mapping[str, Any]) -> list[Finding]:
        """Take a sample in; what is said of it for the first time."""
        self._history.add(sample)
        at = float(sample.get("at") or 0.0)
        if at < self._next:
            return []
        self._next = at + SECONDS_BETWEEN_QUESTIONS
        return list(self._ask(self._history.window()))

    def _ask(self, window: Window) -> list[Finding]:
        found = []
        for unit in list(self._watches):
            try:
                said = [replace(finding, slug=unit.slug) for finding in unit.ask(window)]
            except Exception:  # a broken watch is not asked again, and silences no other
                self._watches.remove(unit)
                continue
            if said:
                self._watches.remove(unit)
                found.append(said[0])
        return found


def entry(at: float, finding: Finding) -> dict[str, Any]:
    """What a watch said, as the record keeps it."""
    facts = [[fact.name, fact.value, fact.source] for fact in finding.because]
    remedies = [[remedy.text, list(remedy.commands)] for remedy in finding.remedies]
    return {
        "kind": kinds.WARNING,
        "at": round(at, 3),
        "slug": finding.slug,
        "says": finding.says,
        "facts": facts,
        "remedies": remedies,
    }
