"""The promises that the bench is there to check, and whether they are kept."""

from __future__ import annotations

import math
import statistics
from dataclasses import dataclass, replace

from arithmetic import compare, geometric_mean, values
from plan import FIRST_LINE, JUDGING, SECTIONS
from results import Measurement, Results
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


def targets(results: Results) -> list[Target]:
    """All promises, also those that this run did not look at."""
    found = {
        "workloads": _program_time(results),
        "own-time": _own_time(results.measurements),
        "start-up": _start_up(results.measurements),
        "memory": _memory(results.measurements),
        "verdict": _verdict(results.measurements),
    }
    return [
        replace(target, outcome=f"{UNDECIDED}: Outlive failed in a case")
        if target.outcome == MET and any(results.failures(section, OUTLIVE))
        else target
        for section, target in found.items()
    ]


def mean_ratio(measurements: list[Measurement], subject: str, value: str) -> float | None:
    """Geometric mean over all workloads; None if the subject has not done them all."""
    found = [
        compare(measurements, "workloads", case, subject, value)
        for case in SECTIONS["workloads"].cases
    ]
    ratios = [comparison.ratio for comparison in found if comparison is not None]
    return geometric_mean(ratios) if len(ratios) == len(found) else None


def resolution(measurements: list[Measurement]) -> float | None:
    """How far a mean ratio can be wrong, by what bare runs differ from bare runs.

    Not the control's own mean: there, a deviation upwards in one workload hides one downwards in another.
    """
    cases = SECTIONS["workloads"].cases
    found = [compare(measurements, "workloads", case, CONTROL, "loop") for case in cases]
    logarithms = [math.log(comparison.ratio) for comparison in found if comparison is not None]
    return math.hypot(*logarithms) / len(found) if len(logarithms) == len(found) else None


def _program_time(results: Results) -> Target:
    promise = "costs at most 1 % of the program's time (geometric mean over the workloads)"
    ratio = mean_ratio(results.measurements, OUTLIVE, "loop")
    error = resolution(results.measurements)
    if ratio is None or error is None:
        return Target(promise, NOTHING, NOT_MEASURED)
    measured = f"{ratio - 1:+.2%} (± {error:.2%}, from bare against bare)"
    if results.settings["quick"]:
        return Target(promise, measured, f"{UNDECIDED}: too little work in a quick run")
    if abs(ratio - MOST_RATIO) < error:
        return Target(
            promise, measured, f"{UNDECIDED}: the machine is too noisy, or the rounds too few"
        )
    return Target(promise, measured, _outcome(ratio, MOST_RATIO))


def _own_time(measurements: list[Measurement]) -> Target:
    promise = "the recorder itself uses at most 1 % of one core (counted by the kernel)"
    cases = SECTIONS["own-time"].cases
    found = [values(measurements, "own-time", case, OUTLIVE, "share") for case in cases]
    if not all(found):
        return Target(promise, NOTHING, NOT_MEASURED)
    highest = max(statistics.median(shares) for shares in found)
    mean = statistics.fmean(statistics.median(shares) for shares in found)
    return Target(
        promise, f"{mean:.2%} in the mean, {highest:.2%} at most", _outcome(mean, MOST_RATIO - 1)
    )


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
    found = [
        number
        for case in cases
        for number in values(measurements, "memory", case, OUTLIVE, "bytes")
    ]
    if not found:
        return Target(promise, NOTHING, NOT_MEASURED)
    return Target(promise, f"{max(found) / 1e6:.1f} MB", _outcome(max(found), MOST_BYTES))


def _verdict(measurements: list[Measurement]) -> Target:
    promise = "the verdict is there at most 1 s after the death"
    found = {
        case: comparison
        for case in SECTIONS["verdict"].cases
        if (comparison := compare(measurements, "verdict", case, OUTLIVE, "seconds"))
    }
    if not found:
        return Target(promise, NOTHING, NOT_MEASURED)
    # The clock starts just before the lethal line. What the bare program takes from there to its end (after an exception
    # TensorFlow tidies up for most of a second) is before the death.
    after = {case: seen.subject.median - seen.bare.median for case, seen in found.items()}
    slowest = max(after, key=lambda case: after[case])
    most = found[slowest].subject.most - found[slowest].bare.median
    measured = f"{after[slowest]:.2f} s (slowest kind of death: {slowest}; {most:.2f} s at worst)"
    return Target(promise, measured, _outcome(after[slowest], MOST_SECONDS_TO_VERDICT))


def _outcome(value: float, most: float) -> str:
    return MET if value <= most else MISSED
