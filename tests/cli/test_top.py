"""`outlive top`: what is alive, and when its memory will run out."""

from __future__ import annotations

import contextlib
import io
import json
import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from conftest import SECONDS, Outlive
from made_evidence import composed
from outlive.model.events import ChildDeath, Moment, Origin, Program, Sample, Thrown, Warned
from outlive.model.evidence import Evidence, Run
from outlive.model.findings import Ending, EndingKind, Place
from outlive.model.memory import Stage
from outlive.model.outlook.forecast import rate, seconds_left
from outlive.report.curve import CURVE_CELLS, curve
from outlive.report.live import STRIP_ROWS, Alive, strip, to_data, view

LIMIT = 1_000_000_000


def samples(used: list[int], step: float = 0.5) -> list[Sample]:
    return [
        Sample(step * index, value, value, value, used_bytes=value, limit_bytes=LIMIT)
        for index, value in enumerate(used)
    ]


def test_memory_that_rises_has_a_time_when_it_is_full() -> None:
    rising = samples([100_000_000 + 10_000_000 * index for index in range(30)])

    assert rate(rising) == pytest.approx(20_000_000)
    assert seconds_left(rising) == pytest.approx((LIMIT - 390_000_000) / 20_000_000)


@pytest.mark.parametrize(
    "used",
    [
        pytest.param([500_000_000] * 30, id="level"),
        pytest.param([100_000_000 * min(index, 6) for index in range(30)], id="plateau"),
        pytest.param([900_000_000 - 10_000_000 * index for index in range(30)], id="falls"),
        pytest.param([300_000_000 + 200_000_000 * (index % 2) for index in range(30)], id="sawtooth"),
        pytest.param([0, 900_000_000], id="too few"),
        pytest.param([], id="none"),
    ],
)  # fmt: skip
def test_memory_that_does_not_go_on_rising_has_none(used: list[int]) -> None:
    assert seconds_left(samples(used)) is None


def test_one_odd_reading_does_not_bend_the_forecast() -> None:
    used = [100_000_000 + 10_000_000 * index for index in range(30)]
    used[20] = 900_000_000

    assert rate(samples(used)) == pytest.approx(20_000_000, rel=0.1)


def test_without_a_limit_the_machine_is_the_limit() -> None:
    grown = [
        Sample(index * 0.5, 0, 0, 10_000_000 * index, available_bytes=LIMIT - 10_000_000 * index)
        for index in range(30)
    ]

    assert seconds_left(grown) == pytest.approx((LIMIT - 290_000_000) / 20_000_000)


@given(st.lists(st.tuples(st.floats(0, 1e9), st.integers(0, 1 << 50)), max_size=500))
def test_a_curve_fits_its_row(points: list[tuple[float, int]]) -> None:
    assert len(curve(points)) == min(CURVE_CELLS, len(points))


def test_a_curve_is_drawn_by_time_however_many_samples_there_were() -> None:
    quiet = [(float(second), 1) for second in range(9)]
    near_the_limit = [(9 + index / 20, 100) for index in range(20)]

    assert "▁" * 9 + "█" == curve([*quiet, *near_the_limit], 10)


def alive(name: str, rising: bool = False, **known: Any) -> Alive:
    used = [100_000_000 + (10_000_000 * index if rising else 0) for index in range(30)]
    evidence = composed(
        ending=Ending(EndingKind.SUCCESS),
        program=Program((f"/usr/bin/{name}", "--flag"), pid=7),
        samples=tuple(samples(used)),
        **known,
    )
    return Alive(name, evidence, ())


def shown(*runs: Alive, rows: int | None = None, width: int = 80) -> list[str]:
    console = Console(file=io.StringIO(), width=width, height=rows or 24, color_system=None)
    console.print(view(runs, "12:00:00", rows, width))
    return console.file.getvalue().splitlines()  # type: ignore[attr-defined]


def test_many_runs_fit_on_a_small_screen_and_the_one_that_ends_first_is_on_top() -> None:
    calm = [alive(f"calm{number}") for number in range(9)]

    lines = shown(*calm, alive("doomed", rising=True), rows=24)

    assert len(lines) <= 24
    assert all(len(line) <= 80 for line in lines)
    assert "doomed" in lines[1]
    assert any("full in" in line for line in lines[1:5])
    assert all(any(f"calm{number}" in line for line in lines) for number in range(9))


LONG = Place("training/augmented/train.py", 117, "main", "album.append(thumbnail(number))" * 3)


@pytest.mark.parametrize("width", [40, 60, 80, 132])
def test_labels_and_the_time_that_is_left_are_whole_at_any_width(width: int) -> None:
    busy = replace(alive("busy", rising=True), moments=(Moment(1.0, LONG), Moment(14.0, LONG)))

    panel = shown(busy, alive("calm"), rows=14, width=width)
    rows = [row.plain for row in strip(busy, width)]

    assert ["run", "memory", "uses", "line"] == [
        row[:9].strip() for row in panel[1:7] if row[0] != " "
    ]
    assert ["memory", "line"] == [row[:9].strip() for row in rows[1:] if row[0] != " "]
    for row in (panel[3], rows[1]):
        assert re.search(r"\d+ MB of 1.0 GB  full in \d+ s", row), row
    assert max(map(len, panel)) <= width
    assert len(rows[1]) <= width and len(rows[2]) <= width


def test_what_was_noticed_is_told_newest_first() -> None:
    brake = Thrown("outlive.MemoryBrake", "stopped", at=3.0, bases=("BaseException",))
    lost = Thrown("ValueError", "lost \x1b[31m", origin=Origin.THREAD, at=5.0)
    asked = Thrown("KeyError", "asked for", origin=Origin.FUTURE, at=6.0, seen=True)
    run = alive(
        "noticed",
        thrown=(brake, lost, asked),
        deaths=(ChildDeath(9, "SIGKILL", None, at=4.0),),
        stages=(Stage("shuffle", Place("a.py", 3), 100, element_bytes=1_000_000),),
    )

    assert [words.split(":")[0] for words in run.fired] == [
        "error in the background", "process 9 died", "brake",
    ]  # fmt: skip
    text = "\n".join(shown(run))
    assert "shuffle at most 100 MB  a.py:3" in text and "\x1b" not in text
    assert to_data(run)["fired"] == list(run.fired)
    assert to_data(run)["stages"] == [{"kind": "shuffle", "at_most": 100_000_000, "line": "a.py:3"}]


def test_what_a_watch_said_is_noticed_in_top_and_in_the_strip() -> None:
    run = alive("warned")
    said = Warned("files-growing", "The program has 90 files open.", 12.0)
    evidence = replace(run.evidence, run=replace(run.evidence.run, warnings=(said,)))

    warned = replace(run, evidence=evidence)

    assert ["The program has 90 files open.  after 12 s"] == list(warned.fired)
    assert any("90 files open" in line for line in shown(warned))
    assert any("90 files open" in row.plain for row in strip(warned))


def test_the_strip_has_at_most_five_rows_and_begins_with_the_program() -> None:
    place = Place("train.py", 17, "main", "album.append(x)")
    run = replace(alive("busy", rising=True), moments=(Moment(1.0, place), Moment(14.0, place)))

    rows = [row.plain for row in strip(run)]

    assert len(rows) <= STRIP_ROWS
    assert rows[0].startswith("── outlive busy")
    assert "full in" in rows[1]
    assert "train.py:17" in rows[3] and "album.append(x)" in rows[3]
    assert [row.plain for row in strip(Alive("new", Evidence(Run(Ending(EndingKind.SUCCESS))), ()))]


WAITS = """
import sys, time
kept = bytearray(50_000_000)
end = time.monotonic() + 1.2

def work():
    while time.monotonic() < end:
        sum(range(1000))

work()
print("ready", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def running(outlive: Outlive) -> Iterator[subprocess.Popen[str]]:
    """A program that waits under `outlive run`, ended by a line on its stdin."""
    script = outlive.script("waits <1>.py", WAITS)
    with subprocess.Popen(
        [sys.executable, "-m", "outlive", "run", str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=outlive.folder,
        env=outlive.environment,
    ) as child:
        assert child.stdout is not None
        assert child.stdin is not None
        assert child.stdout.readline() == "ready\n"
        yield child
        child.stdin.close()
        assert child.wait(SECONDS) == 0


def test_it_shows_what_runs(outlive: Outlive, running: subprocess.Popen[str]) -> None:
    done = outlive("top", "--once")

    assert 0 == done.status, done.stderr
    assert "waits <1>.py" in done.stdout
    assert "1 running" in done.stdout


def test_it_tells_programs_too(outlive: Outlive, running: subprocess.Popen[str]) -> None:
    told = json.loads(outlive("top", "--json").stdout)

    assert told["memory"] > 50_000_000
    assert told["limit"] > told["used"] > 0
    assert (
        "waits <1>.py:" in told["line"]
    )  # which of its lines depends on how long it has been waiting
    assert Path(f"/proc/{told['pid']}").exists()


def test_what_has_ended_is_not_shown(outlive: Outlive) -> None:
    outlive("run", str(outlive.script("short.py", "pass")))

    assert "No program" in outlive("top").stdout
    assert outlive("top", "--json").stdout == ""


def test_on_a_terminal_q_ends_it_and_the_terminal_is_as_before(
    outlive: Outlive, running: subprocess.Popen[str]
) -> None:
    leader, follower = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "outlive", "top", "--interval", "0.2"],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env=outlive.environment | {"TERM": "xterm", "COLUMNS": "80", "LINES": "24"},
        start_new_session=True,
    )
    os.close(follower)
    try:
        shown = b""
        while b"waits <1>.py" not in shown:
            assert select.select([leader], [], [], SECONDS)[0], shown
            shown += os.read(leader, 65536)
        os.write(leader, b"q")
        with contextlib.suppress(OSError):  # the other end is closed
            while select.select([leader], [], [], SECONDS)[0]:
                shown += os.read(leader, 65536)
        assert child.wait(SECONDS) == 0
        assert b"\x1b[?1049l" in shown
    finally:
        if child.poll() is None:
            child.send_signal(signal.SIGKILL)
            child.wait()
        os.close(leader)
