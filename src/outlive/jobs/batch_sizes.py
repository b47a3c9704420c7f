"""How many inputs a model is given at once: grown as long as it pays, halved when it fails, and the failure remembered. Pure.

Growing back to a size that has just failed, again and again, is how naive halving spends its time dying (FACTS).
"""

from __future__ import annotations

import statistics

#: Runs at one size before a larger one is tried; doubled by every failure.
RUNS_BEFORE_GROWING = 4
MOST_PATIENCE = 256

#: A larger size must be faster by this much for each input, or the smaller one is kept.
WORTH_IT = 0.03

#: Of the budget that a larger size may be expected to need.
SAFE_SHARE = 0.85

#: Runs whose speed is remembered.
REMEMBERED = 8


class Sizes:
    """The size now, and what is known about others."""

    def __init__(self, most: int, budget: int | None = None) -> None:
        self.most = most
        self.size = 1
        self._budget = budget
        self._failed: int | None = None  #: the smallest that has failed
        self._patience = RUNS_BEFORE_GROWING
        self._good = 0
        self._seconds: dict[int, list[float]] = {}  #: for each input, by size
        self._peaks: dict[int, int] = {}
        self._settled = False

    def went_well(self, count: int, seconds: float, peak_bytes: int) -> None:
        """A run of that many inputs is done."""
        if count <= 0:
            return
        self._peaks[count] = max(peak_bytes, self._peaks.get(count, 0))
        known = self._seconds.setdefault(count, [])
        known.append(seconds / count)
        del known[:-REMEMBERED]
        if count >= self.size:
            self._good += 1
        if self._good >= self._patience:
            self._good = 0
            self._grow()

    def failed(self, count: int) -> None:
        """Memory did not suffice for that many."""
        self._failed = count if self._failed is None else min(self._failed, count)
        self.size = max(1, min(self.size, count // 2))
        self._patience = min(2 * self._patience, MOST_PATIENCE)
        self._good = 0
        self._settled = False

    def _grow(self) -> None:
        if self._settled or not self._pays():
            self._settled = True
            return
        wanted = min(2 * self.size, self.most)
        if self._failed is not None:
            wanted = min(wanted, (self.size + self._failed) // 2, self._failed - 1)
        if wanted > self.size and self._fits(wanted):
            self.size = wanted

    def _pays(self) -> bool:
        """Whether this size was worth it; if not, go back to the one before."""
        smaller = [count for count in self._seconds if count < self.size and self._full(count)]
        if not smaller or not self._full(self.size):
            return True
        before = max(smaller)
        if self._typical(self.size) <= self._typical(before) * (1 - WORTH_IT):
            return True
        self.size = before
        return False

    def _full(self, count: int) -> bool:
        return len(self._seconds.get(count, ())) >= RUNS_BEFORE_GROWING

    def _typical(self, count: int) -> float:
        return statistics.median(self._seconds[count])

    def _fits(self, wanted: int) -> bool:
        """By a straight line through the smallest and the largest size that were measured."""
        if self._budget is None or len(self._peaks) < 2:
            return True
        few, many = min(self._peaks), max(self._peaks)
        each = max(0.0, (self._peaks[many] - self._peaks[few]) / (many - few))
        return self._peaks[many] + each * (wanted - many) <= SAFE_SHARE * self._budget
