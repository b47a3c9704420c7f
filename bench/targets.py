"""The promises that the bench is there to check, and whether they are kept."""

from __future__ import annotations

from dataclasses import dataclass

from arithmetic import compare, geometric_mean, spread, values
from plan import FIRST_LINE, JUDGING, SECTIONS
from results import Measurement
from subjects import CONTROL, OUTLIVE

MOST_RATIO = 1.01
MOST_SECONDS_ADDED = 0.050
MOST_BYTES = 40e6
MOST_SECONDS_TO_VERDICT = 1.0

MET, MISSED = "met", "MISSED"
UNDECIDED = "undecided"
NOT_MEASURED = "not measured"
NOTHING = "–"


@dataclass(frozen=True)
class Target:
    """One promise, what was measured, and whether it is kept."""

    promise: str
    measured: str
    outcome: str


def targets(measurements: list[Measurement]) -> list[Target]:
    """All promises, also those that this run did not look at."""
    return [
        _program_time(measurements),
        _start_up(measurements),
        _memory(measurements),
        _verdict(measurements),
    ]


def mean_ratio(measurements: list[Measurement], subject: str, value: str) -> float | None:
    """Geometric mean over all workloads; None if the subject has not done them all."""
    found = [
        compare(measurements, "workloads", case, subject, value)
        for case in SECTIONS["workloads"].cases
    ]
    ratios = [comparison.ratio for comparison in found if comparison is not None]
    return geometric_mean(ratios) if len(ratios) == len(found) else None


def _program_time(measurements: list[Measurement]) -> Target:
    promise = "costs at most 1 % of the program's time (geometric mean over the workloads)"
    ratio = mean_ratio(measurements, OUTLIVE, "loop")
    if ratio is None:
        return Target(promise, NOTHING, NOT_MEASURED)
    measured = f"{ratio - 1:+.2%}"
    control = mean_ratio(measurements, CONTROL, "loop")
    if control is None:
        return Target(promise, measured, _outcome(ratio, MOST_RATIO))
    measured += f"; bare against itself {control - 1:+.2%}"
    if abs(control - 1) > MOST_RATIO - 1:
        # Two bare runs differ by more than the promise: this machine was too busy to tell, either way.
        return Target(promise, measured, f"{UNDECIDED} (bare differs from itself by more)")
    return Target(promise, measured, _outcome(ratio, MOST_RATIO))


def _start_up(measurements: list[Measurement]) -> Target:
    promise = "adds at most 50 ms to the start"
    found = compare(measurements, "start-up", FIRST_LINE, OUTLIVE, "seconds")
    if found is None:
        return Target(promise, NOTHING, NOT_MEASURED)
    added = found.added.median
    return Target(promise, f"{added * 1e3:.1f} ms", _outcome(added, MOST_SECONDS_ADDED))


def _memory(measurements: list[Measurement]) -> Target:
    promise = "the supervisor takes at most 40 MB while the program runs"
    cases = [case for case in SECTIONS["memory"].cases if case != JUDGING]
    found = _all(measurements, "memory", cases, "bytes")
    if not found:
        return Target(promise, NOTHING, NOT_MEASURED)
    return Target(promise, f"{max(found) / 1e6:.1f} MB", _outcome(max(found), MOST_BYTES))


def _verdict(measurements: list[Measurement]) -> Target:
    promise = "the verdict is there at most 1 s after the death"
    found = _all(measurements, "verdict", SECTIONS["verdict"].cases, "seconds")
    if not found:
        return Target(promise, NOTHING, NOT_MEASURED)
    seen = spread(found)
    measured = f"{seen.most:.2f} s at worst, median {seen.median:.2f} s, {seen.count} deaths"
    return Target(promise, measured, _outcome(seen.most, MOST_SECONDS_TO_VERDICT))


def _all(
    measurements: list[Measurement], section: str, cases: list[str] | tuple[str, ...], value: str
) -> list[float]:
    return [
        number for case in cases for number in values(measurements, section, case, OUTLIVE, value)
    ]


def _outcome(value: float, most: float) -> str:
    return MET if value <= most else MISSED
