"""How a curve of memory goes on: steady growth, warm-up, plateaus, noise."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outlive.keep.rehearse.forecast import Curve, Shape, curve_of, peaks

MB = 1e6
STEPS = 1000
READINGS = 300


def curve(memory: Callable[[float], float], readings: int = READINGS) -> Curve:
    steps = [STEPS * number / readings for number in range(readings + 1)]
    return curve_of([(step, memory(step)) for step in steps])


def noisy(amount: float) -> Callable[[], float]:
    chance = random.Random(7)
    return lambda: chance.uniform(-amount, amount)


def test_steady_growth_gives_the_step():
    found = curve(lambda step: 300 * MB + 0.2 * MB * step)

    assert found.shape is Shape.STEADY
    reach = found.reaches(1000 * MB)
    assert reach is not None and not reach.wide
    assert reach.step == pytest.approx(3500, rel=0.02)
    assert reach.earliest <= 3500 <= reach.latest


@given(
    base=st.floats(50, 2000),
    each=st.floats(0.05, 5),
    warm=st.floats(0, 400),
    shake=st.floats(0, 0.1),
    seed=st.integers(0, 1000),
)
@settings(max_examples=200, deadline=None)
def test_steady_growth_is_found_behind_a_warm_up_and_noise(
    base: float, each: float, warm: float, shake: float, seed: int
) -> None:
    chance = random.Random(seed)
    whole = each * STEPS

    def memory(step: float) -> float:
        rising = warm * min(1.0, step / (0.3 * STEPS))
        return (base + rising + each * step + chance.uniform(0, shake * whole)) * MB

    found = curve(memory)
    reach = found.reaches((base + warm + 5 * whole) * MB)

    if shake <= 0.02:
        assert found.shape is Shape.STEADY
    if reach is not None and not reach.wide and found.shape is Shape.STEADY:
        assert reach.step == pytest.approx(5 * STEPS, rel=0.15 if shake <= 0.02 else 0.3)


@given(level=st.floats(50, 4000), shake=st.floats(0, 0.05), seed=st.integers(0, 1000))
@settings(max_examples=200, deadline=None)
def test_a_level_never_reaches_a_limit(level: float, shake: float, seed: int) -> None:
    chance = random.Random(seed)

    found = curve(lambda step: level * (1 + chance.uniform(0, shake)) * MB)

    reach = found.reaches(level * 20 * MB)
    assert reach is None or reach.wide


@pytest.mark.parametrize(
    "memory",
    [
        lambda step: 300 * MB + 400 * MB * (1 - math.exp(-step / 200)),
        lambda step: 300 * MB + 200 * MB * math.log1p(step / 10),
        lambda step: 300 * MB + 400 * MB * min(1.0, step / 700),
        lambda step: 300 * MB + 20 * MB * math.sqrt(step),
    ],
    ids=["exponential plateau", "logarithm", "filled buffer", "root"],
)
def test_growth_that_slows_down_is_not_steady(memory: Callable[[float], float]):
    found = curve(memory)

    assert found.shape is not Shape.STEADY
    assert found.reaches(10_000 * MB) is None


def test_a_plateau_behind_a_warm_up_is_level():
    found = curve(lambda step: 900 * MB * min(1.0, step / 300))

    assert found.shape is Shape.LEVEL
    assert found.level == pytest.approx(900 * MB, rel=0.01)


def test_the_peaks_of_a_sawtooth_count():
    found = curve(lambda step: 200 * MB + (step % 50) * 4 * MB)

    assert found.shape is Shape.LEVEL
    assert found.level >= 380 * MB


def test_growth_below_a_sawtooth_is_found():
    found = curve(lambda step: 200 * MB + 0.5 * MB * step + (step % 20) * 4 * MB)

    reach = found.reaches(2000 * MB)
    assert reach is not None
    assert reach.step == pytest.approx((2000 - 276) / 0.5, rel=0.1)


def test_growth_that_speeds_up_is_told_apart():
    found = curve(lambda step: 300 * MB + 0.001 * MB * step**2)

    assert found.shape is Shape.FASTER
    reach = found.reaches(5000 * MB)
    assert reach is not None and reach.step >= math.sqrt(4.7e6)


def test_noise_larger_than_growth_gives_no_step():
    shake = noisy(400 * MB)

    reach = curve(lambda step: 1000 * MB + 0.02 * MB * step + shake()).reaches(1500 * MB)

    assert reach is None or reach.wide


def test_few_readings_say_nothing():
    assert curve(lambda step: step * MB, readings=5).shape is Shape.UNKNOWN
    assert curve_of([]).shape is Shape.UNKNOWN
    assert curve_of([(0.0, 1.0)] * 50).shape is Shape.UNKNOWN


def test_a_slot_keeps_its_highest():
    slots = peaks([(float(step), 5.0 if step == 7 else 1.0) for step in range(100)])

    assert (7.0, 5.0) in slots
    assert sorted(slots) == slots
