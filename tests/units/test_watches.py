"""Laws for every watch, and what each says of made-up windows: growth that goes on, and all that only looks like it."""

from __future__ import annotations

import ast
import inspect
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import outlive.units.watches
from made_evidence import UNITS
from outlive.model.findings import Confidence, Finding
from outlive.model.outlook.forecast import about, filling, steady_rise
from outlive.model.outlook.window import Level, Quota, Reading, WaitForData, Window
from outlive.units.unit import KINDS, Unit, discover, watch
from unit_pages import check_page

FOLDER = Path(inspect.getfile(outlive.units.watches)).parent
WATCHES = {unit.slug: unit for unit in discover(watch)}
ALLOWED_IMPORTS = {
    "__future__", "itertools", "collections.abc", "outlive.model.findings", "outlive.model.outlook.forecast",
    "outlive.model.outlook.window", "outlive.units.unit",
}  # fmt: skip
GB = 1_000_000_000

every_watch = pytest.mark.parametrize("unit", WATCHES.values(), ids=WATCHES.keys())


def asked(slug: str, window: Window) -> list[Finding]:
    return list(WATCHES[slug].ask(window))


def silent(window: Window) -> bool:
    return not any(list(unit.ask(window)) for unit in WATCHES.values())


@every_watch
def test_the_page_is_one_sentence_and_then_its_headings(unit: Unit[Window]) -> None:
    check_page(unit, watch)


@every_watch
def test_a_watch_forestalls_causes_that_exist(unit: Unit[Window]) -> None:
    assert set(unit.prevents) <= UNITS.keys()


def test_no_watch_has_the_name_of_another_unit() -> None:
    slugs = [unit.slug for kind in KINDS for unit in discover(kind)]

    assert all(slugs.count(slug) == 1 for slug in WATCHES)
    assert len(WATCHES) == 8


@every_watch
def test_a_watch_knows_only_its_argument_and_does_nothing(unit: Unit[Window]) -> None:
    tree = ast.parse((FOLDER / f"{unit.slug.replace('-', '_')}.py").read_text())
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    imported |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}  # fmt: skip
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}

    assert imported <= ALLOWED_IMPORTS
    assert not used & {"open", "print", "eval", "exec", "__import__", "input", "globals"}


@every_watch
def test_a_watch_is_silent_of_an_empty_window_and_of_one_that_knows_nothing(
    unit: Unit[Window],
) -> None:
    nothing = [Reading(at=float(at)) for at in range(60)]
    bare = [Level(float(at), 0, 0, 0) for at in range(60)]

    assert [] == list(unit.ask(Window()))
    assert [] == list(unit.ask(Window(bare, nothing)))


# Rises.


def test_a_steady_rise_is_measured() -> None:
    rise = steady_rise([(float(at), 10.0 * at) for at in range(41)])

    assert rise is not None
    assert (10.0, 400.0, 40.0) == (rise.rate, rise.grown, rise.seconds)
    assert 20.0 == rise.seconds_to(200)


def test_the_flat_time_before_a_rise_does_not_make_it_slower() -> None:
    rise = steady_rise([(float(at), max(0.0, 5.0 * (at - 100))) for at in range(141)])

    assert rise is not None
    assert 5.0 == pytest.approx(rise.rate, rel=0.05)


def test_noise_does_not_end_a_rise() -> None:
    points = [(float(at), 10.0 * at + 6 * (at % 2)) for at in range(61)]

    assert steady_rise([*points, (61.0, 640.0)]) is not None


@pytest.mark.parametrize(
    "heights",
    [
        [0.0] * 30 + [100.0] * 30,
        [100.0] * 60,
        [min(80.0, 4.0 * at) for at in range(60)],
        [float(at % 20) for at in range(60)],
        [100.0 - at for at in range(60)],
        [0.0] * 55 + [1.0, 20.0, 50.0, 80.0, 100.0],
        [100.0 * (1 - 0.9**at) for at in range(60)],
    ],
    ids=["a jump", "flat", "a plateau", "a saw", "a fall", "a burst", "levels off"],
)
def test_what_is_no_steady_rise(heights: list[float]) -> None:
    points = [(float(at), height) for at, height in enumerate(heights)]

    assert filling(points, 101.0) is None


def test_a_second_rise_to_a_height_that_was_survived_is_none() -> None:
    first = [(float(at), 10.0 * at) for at in range(40)]
    second = [(40.0 + at, 9.0 * at) for at in range(40)]

    assert filling(first + second, 400.0) is None


@given(
    st.lists(st.floats(0, 1e12), min_size=0, max_size=300),
    st.floats(0, 1e13),
    st.floats(0.01, 100),
)
def test_no_heights_break_the_forecast_and_what_it_says_is_true(
    heights: list[float], limit: float, step: float
) -> None:
    points = [(index * step, height) for index, height in enumerate(heights)]

    rise = filling(points, limit)

    if rise is not None:
        assert rise.rate > 0
        assert points[-1][1] == max(heights)
        assert rise.grown >= 4 * (limit - points[-1][1])
        assert 0 <= rise.seconds_to(limit - points[-1][1]) <= rise.seconds
        assert rise.seconds >= 10


@given(st.floats(0.1, 1e9), st.floats(0, 1e9), st.floats(0.5, 600), st.integers(0, 200))
def test_steady_growth_is_always_foretold_before_it_arrives(
    rate: float, base: float, step: float, flat: int
) -> None:
    limit = base + rate * max(40 * step, 40)
    points = [(index * step, base) for index in range(flat)]
    warned = None
    while warned is None:
        at = (points[-1][0] if points else 0.0) + step
        points.append((at, base + rate * (at - flat * step)))
        assert points[-1][1] <= limit, "it was full before anybody said so"
        warned = filling(points, limit)

    left = limit - points[-1][1]
    assert warned.seconds_to(left) == pytest.approx(left / rate, rel=0.1, abs=step)


# Each watch: what it says of trouble, and that it is silent of what resembles it.


def levels(heights: list[float], limit: float, reserved: list[float] | None = None) -> list[Level]:
    return [
        Level(float(at), int(height), int(height), int((reserved or heights)[at]), int(height), int(limit))
        for at, height in enumerate(heights)
    ]  # fmt: skip


def test_memory_that_grows_is_told_with_the_time_that_is_left() -> None:
    said = asked("memory-filling", Window(levels([GB * at / 50 for at in range(46)], GB)))

    assert [
        "Memory will be full in about 5 s at this rate: 900 MB of 1.0 GB in use, growing by 1.2 GB a minute."
    ] == [finding.says for finding in said]


def test_an_array_that_was_reserved_long_ago_may_be_filled() -> None:
    heights = [GB * at / 50 for at in range(46)]
    reserved = [0.0] * 3 + [float(GB)] * 43

    assert silent(Window(levels(heights, GB, reserved)))


def test_what_other_processes_of_the_program_add_counts_whatever_it_has_reserved_itself() -> None:
    grown = [
        replace(level, own_bytes=10, reserved_bytes=10)
        for level in levels([GB * at / 50 for at in range(46)], GB)
    ]

    assert asked("memory-filling", Window(grown))


def test_pages_that_forked_processes_share_do_not_grow() -> None:
    grown = [
        replace(level, used_bytes=int(0.7 * GB))
        for level in levels([GB * at / 20 for at in range(46)], GB)
    ]

    assert silent(Window(grown))


def test_growth_far_below_the_limit_is_silent() -> None:
    assert silent(Window(levels([GB * at / 50 for at in range(46)], 2 * GB)))


def readings(**series: list[object]) -> Window:
    count = len(next(iter(series.values())))
    return Window(
        (),
        [
            Reading(at=5.0 * index, **{name: values[index] for name, values in series.items()})  # type: ignore[arg-type]
            for index in range(count)
        ],
    )


def test_threads_and_files_that_grow_are_told() -> None:
    rising = list(range(10, 95, 2))
    window = readings(threads=rising, most_threads=[100] * len(rising), open_files=rising, most_files=[100] * len(rising))  # fmt: skip

    assert "94 threads" in asked("threads-growing", window)[0].says
    assert "94 files open" in asked("files-growing", window)[0].says


def test_a_pool_of_threads_made_at_once_is_silent() -> None:
    assert silent(readings(threads=[5] * 10 + [95] * 30, most_threads=[100] * 40))


def disks(free: list[float]) -> Window:
    return readings(disks=[{"/data": (int(room), 100 * GB)} for room in free])


def test_a_disk_that_fills_is_told() -> None:
    assert "will be full" in asked("disk-filling", disks([50 * GB - GB * at for at in range(46)]))[0].says  # fmt: skip


def test_a_disk_without_room_for_two_more_checkpoints_is_told() -> None:
    free = [10.0 * GB] * 20 + [7.9 * GB] * 20 + [5.8 * GB] * 20 + [3.7 * GB] * 3

    said = asked("disk-filling", disks(free))

    assert ["The disk at /data has room for one more write like the last 3 (2.1 GB each): 3.7 GB free."] == [finding.says for finding in said]  # fmt: skip


@pytest.mark.parametrize(
    "free",
    [
        [10.0 * GB, 8 * GB, 10 * GB, 8 * GB, 10 * GB, 8 * GB, 10 * GB, 8 * GB, 10 * GB, 3 * GB],
        [10.0 * GB] * 30 + [3.0 * GB] * 30,
        [float(50 * GB - 1000 * at) for at in range(60)],
    ],
    ids=["deletes its old checkpoints", "one large write", "a small log"],
)
def test_a_disk_with_enough_room_is_silent(free: list[float]) -> None:
    assert silent(disks(free))


def quotas(held: float, cpus: float = 0.5) -> Window:
    """Readings five seconds apart, fifty periods each."""
    return readings(
        quotas=[(Quota("/pod", cpus, 50 * at, int(50 * held * at), 0.0),) for at in range(12)],
        cpus=[4] * 12,
    )


def test_a_quota_that_holds_back_most_of_the_time_is_told() -> None:
    said = asked("throttled-by-quota", quotas(0.9))

    assert Confidence.PROVEN == said[0].confidence
    assert "0.5 CPUs" in said[0].says and "90%" in said[0].says


def test_a_quota_that_is_met_now_and_then_or_gives_all_cpus_is_silent() -> None:
    assert silent(quotas(0.3))
    assert silent(quotas(0.9, cpus=4))
    burst = quotas(0.0)
    last = burst.readings[-1]
    once = replace(last, quotas=(replace(last.quotas[0], held_back=60),))
    assert silent(Window((), [*burst.readings[:-1], once]))


def shared(own: float, waited: float, busy: float = 1.0, stolen: float = 0.0) -> Window:
    at = range(12)
    return readings(
        machine_cpus=[4] * 12,
        cpus=[4] * 12,
        machine_busy=[20.0 * busy * it for it in at],
        machine_stolen=[20.0 * stolen * it for it in at],
        cpu_seconds=[20.0 * own * it for it in at],
        ran_seconds=[5.0 * (1 - waited) * it for it in at],
        waited_seconds=[5.0 * waited * it for it in at],
    )


def test_neighbours_that_take_the_cpus_are_told() -> None:
    said = asked("starved-by-neighbours", shared(own=0.2, waited=0.7))

    assert ["Other programs use 3.2 of this machine's 4 CPUs; the main thread waited for one in 70% of the time."] == [it.says for it in said]  # fmt: skip
    assert "hypervisor took 30%" in asked("starved-by-neighbours", shared(0.5, 0.1, stolen=0.3))[0].says  # fmt: skip


@pytest.mark.parametrize(
    "window",
    [shared(own=0.95, waited=0.7), shared(own=0.2, waited=0.2), shared(0.2, 0.7, busy=0.5)],
    ids=["its own threads", "hardly waits", "idle CPUs"],
)
def test_a_program_that_waits_for_nobody_else_is_silent(window: Window) -> None:
    assert silent(window)


def test_waiting_for_a_quota_is_not_waiting_for_neighbours() -> None:
    both = [
        replace(reading, quotas=quota.quotas)
        for reading, quota in zip(
            shared(own=0.05, waited=0.9).readings, quotas(0.9).readings, strict=True
        )
    ]

    assert [] == asked("starved-by-neighbours", Window((), both))
    assert asked("throttled-by-quota", Window((), both))


def data(seen: int, waiting: int, waits: int) -> Window:
    return readings(data=[None, WaitForData(seen, waiting, waits, "train.py:7"), None])


def test_a_loop_that_waits_for_its_data_is_told_with_its_line() -> None:
    said = asked("pipeline-starves-step", data(200, 160, 40))

    assert "80%" in said[0].says and "train.py:7" in said[0].says


def test_a_first_long_wait_and_a_fast_pipeline_are_silent() -> None:
    assert silent(data(200, 190, 1))
    assert silent(data(200, 60, 40))
    assert silent(data(20, 18, 10))


def test_a_card_that_fills_is_told_and_one_that_is_taken_at_once_is_not() -> None:
    rising = readings(gpus=[((GB // 5 * at, 10 * GB),) for at in range(46)])
    taken = readings(gpus=[((0, 10 * GB),)] * 5 + [((int(9.5 * GB), 10 * GB),)] * 40)

    assert "GPU" in asked("gpu-memory-filling", rising)[0].says
    assert silent(taken)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0, "about 5 s"), (42, "about 40 s"), (240, "about 4 min"), (7200, "about 2 h")],
)
def test_a_time_that_is_estimated_is_told_roughly(seconds: float, words: str) -> None:
    assert about(seconds) == words
