"""From measurements to figures: medians, ratios to bare, spreads, geometric means. No clock, no files."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from results import WARM_UP, Measurement
from subjects import BARE


@dataclass(frozen=True)
class Spread:
    """The middle of some numbers, and how far they lie apart."""

    median: float
    low: float  #: first quartile
    high: float  #: third quartile
    least: float
    most: float
    count: int


@dataclass(frozen=True)
class Comparison:
    """One subject against the bare runs beside it."""

    bare: Spread
    subject: Spread
    ratio: float  #: of the medians
    paired: Spread  #: of the ratios within each block
    added: Spread  #: of the differences within each block


def spread(numbers: Sequence[float]) -> Spread:
    """Median, quartiles and extremes. The quartiles of fewer than three numbers are the extremes."""
    if not numbers:
        raise ValueError("nothing was measured")
    least, most = min(numbers), max(numbers)
    low, high = least, most
    if len(numbers) > 2:
        low, _, high = statistics.quantiles(numbers, n=4, method="inclusive")
    return Spread(statistics.median(numbers), low, high, least, most, len(numbers))


def geometric_mean(ratios: Iterable[float]) -> float:
    """The mean for ratios: twice as slow here and twice as fast there is no change."""
    logarithms = [math.log(ratio) for ratio in ratios]
    return math.exp(statistics.fmean(logarithms))


def values(
    measurements: Iterable[Measurement], section: str, case: str, subject: str, name: str
) -> list[float]:
    """One value of a subject in one case, of all rounds that count."""
    return [
        measurement.values[name]
        for measurement in measurements
        if _counts(measurement, section, case, name) and measurement.task.subject == subject
    ]


def compare(
    measurements: Iterable[Measurement], section: str, case: str, subject: str, name: str
) -> Comparison | None:
    """A subject against the bare run of the same block and round; None if there is no such pair."""
    by_subject: dict[str, dict[tuple[str, int], float]] = {BARE: {}, subject: {}}
    for measurement in measurements:
        task = measurement.task
        if task.subject in by_subject and _counts(measurement, section, case, name):
            by_subject[task.subject][task.block, task.round] = measurement.values[name]
    both = sorted(by_subject[BARE].keys() & by_subject[subject].keys())
    if not both:
        return None
    pairs = [(by_subject[BARE][key], by_subject[subject][key]) for key in both]
    bare, other = spread([pair[0] for pair in pairs]), spread([pair[1] for pair in pairs])
    return Comparison(
        bare,
        other,
        other.median / bare.median,
        spread([after / before for before, after in pairs]),
        spread([after - before for before, after in pairs]),
    )


def _counts(measurement: Measurement, section: str, case: str, name: str) -> bool:
    task = measurement.task
    return (
        (task.section, task.case) == (section, case)
        and task.round != WARM_UP
        and not measurement.failure
        and name in measurement.values
    )
