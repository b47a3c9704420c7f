"""Programs that really run towards a limit are warned of it, once; healthy ones hear nothing; and the record says the same again."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from limited import cpu_group, cpu_parent

from conftest import Outlive, skip_for_want_of
from outlive.inside.notes import kinds
from outlive.inside.notes.format import Ring
from outlive.model.outlook.window import Window
from outlive.recorder.store.entries import entries
from outlive.recorder.store.run_folders import LOG_NAME
from outlive.recorder.watching.data_waits import DataWaits
from outlive.recorder.watching.history import MOST, History
from outlive.recorder.watching.watching import Watching, entry
from outlive.units.unit import watch

SECONDS = 100

#: Whoever else runs tests takes the CPUs away, and the watch says so.
TRUE_ON_A_BUSY_MACHINE = re.compile("outlive: (?:Other programs use|The hypervisor took) ")


def run_in(group: Path | None, outlive: Outlive, *words: str) -> tuple[int, list[str]]:
    """`outlive run` in a cgroup: the status, and the lines that it said."""
    enter = f"echo $$ > {group}/cgroup.procs; " if group else ""
    done = subprocess.run(
        [
            "/bin/sh",
            "-c",
            f'{enter}exec "$@"',
            "sh",
            sys.executable,
            "-m",
            "outlive",
            "run",
            *words,
        ],
        cwd=outlive.folder,
        env=outlive.environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    said = [line for line in done.stderr.splitlines() if line.startswith("outlive:")]
    return done.returncode, [line for line in said if not TRUE_ON_A_BUSY_MACHINE.match(line)]


def record(outlive: Outlive) -> list[dict[str, Any]]:
    return entries(str(outlive.runs[-1] / LOG_NAME))


def warnings_in(frames: Sequence[Mapping[str, Any]]) -> list[str]:
    said = [str(frame["slug"]) for frame in frames if frame.get("kind") == kinds.WARNING]
    return [slug for slug in said if slug != "starved-by-neighbours"]


LEAKS = """
import time
kept = []
while True:
    kept.append(bytearray(b"x") * 5_000_000)
    time.sleep(0.2)
"""


@pytest.mark.death
@pytest.mark.memory(300)
def test_a_leak_is_foretold_before_the_kernel_kills_and_the_verdict_has_it(
    outlive: Outlive, group: Path
) -> None:
    status, said = run_in(group, outlive, str(outlive.script("leaks.py", LEAKS)))

    assert status == -9
    assert said[0].startswith("outlive: Memory will be full in about "), said
    assert ["memory-filling"] == warnings_in(record(outlive))
    verdict = json.loads(outlive("why", "--json").stdout)
    assert "kept-in-container" == verdict["cause"]["slug"]
    warned = {it["slug"]: it["says"] for it in verdict["also"]}
    assert warned["memory-filling"].startswith("Warned after ")


OPENS = """
import os, resource, time
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
kept = []
while len(kept) < 86:
    kept.append(open(os.devnull))
    time.sleep(0.2)
time.sleep(3)
"""


def test_files_that_stay_open_are_told_in_one_line_and_in_top_and_metrics_and_a_run_that_ends_well_stays_well(
    outlive: Outlive,
) -> None:
    metrics = outlive.folder / "run.prom"
    status, said = run_in(
        None, outlive, "--metrics", str(metrics), str(outlive.script("opens.py", OPENS))
    )

    assert status == 0
    assert len(said) == 1 and "will reach the limit of 100" in said[0]
    assert 'watch="files-growing"} 1' in metrics.read_text()
    verdict = json.loads(outlive("why", "--json").stdout)
    assert verdict["cause"] is None
    assert "files-growing" in [it["slug"] for it in verdict["also"]]
    assert "Warned" in outlive("why").stdout


def test_what_a_watch_says_is_not_said_aloud_with_quiet_and_is_in_the_record(
    outlive: Outlive,
) -> None:
    status, said = run_in(None, outlive, "--quiet", str(outlive.script("opens.py", OPENS)))

    assert (0, []) == (status, said)
    assert ["files-growing"] == warnings_in(record(outlive))


def test_a_record_that_is_asked_again_says_the_same(outlive: Outlive) -> None:
    run_in(None, outlive, "--quiet", str(outlive.script("opens.py", OPENS)))
    samples = [frame for frame in record(outlive) if frame["kind"] == kinds.SAMPLE]

    again, watching = [], Watching()
    for sample in samples:
        again += [finding.slug for finding in watching.saw(sample)]

    assert "files-growing" in again


STARTS = """
import threading, time
stop = threading.Event()
for _ in range(80):  # to the limit, so that a question falls into its last fifth
    try:
        threading.Thread(target=stop.wait).start()
    except RuntimeError:
        break
    time.sleep(0.25)
stop.set()
"""


@pytest.mark.tasks(70)
def test_threads_that_stay_are_told(outlive: Outlive, tasks: Path) -> None:
    _, said = run_in(tasks, outlive, str(outlive.script("starts.py", STARTS)))

    assert "threads and will reach the limit of" in said[0]


SPINS = """
import time
end = time.monotonic() + 40
while time.monotonic() < end:
    sum(range(10_000))
"""


def test_a_program_that_its_quota_holds_back_is_told_so_and_not_that_others_do(
    outlive: Outlive,
) -> None:
    if cpu_parent() is None:
        skip_for_want_of("no cgroup for CPU time can be made here")
    with cpu_group(0.08) as made:
        _, said = run_in(made, outlive, str(outlive.script("spins.py", SPINS)))

    assert len(said) == 1 and "gives it 0.08 CPUs" in said[0]
    slugs = [it["slug"] for it in record(outlive) if it["kind"] == kinds.WARNING]
    assert ["throttled-by-quota"] == slugs


WRITES = """
import os, sys, time
os.chdir(sys.argv[1])
with open("log", "wb") as file:
    for _ in range(58):
        file.write(b"x" * 500_000)
        file.flush()
        time.sleep(0.3)
"""


def test_a_disk_that_fills_is_told(outlive: Outlive, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=30m", "none", str(disk)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        skip_for_want_of("no tmpfs can be mounted here")
    try:
        status, said = run_in(None, outlive, str(outlive.script("writes.py", WRITES)), str(disk))
    finally:
        subprocess.run(["umount", str(disk)], check=True)

    assert status == 0
    assert len(said) == 1 and f"The disk at {disk} will be full in about " in said[0]


WORKS = """
import threading, time
kept = [bytearray(b"x") * 200_000_000]
threads = [threading.Thread(target=time.sleep, args=(9,)) for _ in range(50)]
for thread in threads:
    thread.start()
files = [open("/dev/null") for _ in range(50)]
for _ in range(40):
    burst = bytearray(b"x") * 60_000_000
    del burst
    time.sleep(0.2)
"""


@pytest.mark.memory(300)
def test_a_healthy_program_near_its_limits_hears_nothing(outlive: Outlive, group: Path) -> None:
    status, said = run_in(group, outlive, str(outlive.script("works.py", WORKS)))

    assert (0, []) == (status, said)
    assert any("reading" in frame for frame in record(outlive)), "nobody watched"


STARVES = """
import os, time
import tensorflow as tf

def slow(number):
    time.sleep(0.05)
    return number

data = tf.data.Dataset.range(10**6).map(lambda it: tf.numpy_function(slow, [it], tf.int64))
elements = iter(data)
end = time.monotonic() + 45
while time.monotonic() < end:
    next(elements)
os._exit(0)
"""


@pytest.mark.tf
def test_a_loop_that_waits_for_its_pipeline_is_told_with_the_line(outlive: Outlive) -> None:
    _, said = run_in(None, outlive, str(outlive.script("starves.py", STARVES)))

    starved = [line for line in said if "starved by its input" in line]
    assert len(starved) == 1 and "starves.py:1" in starved[0]


# Waiting for data.


def ring(folder: Path, waits: Sequence[bool]) -> None:
    """Looks at a main thread, one a tenth of a second until now."""
    memory = bytearray(1 << 20)
    made = Ring(memory, 0, len(memory))
    for number, waiting in enumerate(waits):
        inner = (
            "/site-packages/tensorflow/python/ops/gen_dataset_ops.py"
            if waiting
            else "/home/me/train.py"
        )
        frames = [
            [inner, 9, "iterator_get_next" if waiting else "step"],
            ["/home/me/train.py", 7, "main"],
        ]
        made.append(
            {
                "kind": kinds.STACK,
                "time": time.time() - (len(waits) - number) / 10,
                "threads": [{"main": True, "frames": frames}],
            }
        )
    (folder / "7.ring").write_bytes(bytes(memory))


@pytest.mark.parametrize(
    ("waits", "ran", "slept", "expected"),
    [
        ([True] * 180 + [False] * 10, 1.0, 300, [190, 180, 300, "/home/me/train.py:7"]),
        ([True] * 190, 0.1, 1, [190, 190, 1, "/home/me/train.py:7"]),
        ([False] * 190, 1.0, 300, [190, 0, 300, ""]),
        ([True] * 190, 19.0, 300, None),
    ],
    ids=["waits often", "waits once", "never waits", "computes"],
)
def test_waits_for_data_are_counted_in_the_stacks_and_by_the_kernel(
    tmp_path: Path, waits: list[bool], ran: float, slept: int, expected: list[object] | None
) -> None:
    ring(tmp_path, waits)
    data = DataWaits(str(tmp_path))

    assert data.look(5.0, {"ran": 0.0, "slept": 0}) is None
    assert data.look(20.0, {"ran": 5.0, "slept": 50}) is None
    assert data.look(30.0, {"ran": 5.0, "slept": 50}) is None
    assert expected == data.look(40.0, {"ran": 5.0 + ran, "slept": 50 + slept})
    assert data.look(41.0, {"ran": 6.0, "slept": 50}) is None


# The history, and those who ask.


def sample(at: float, tree: int = 0, **fields: object) -> dict[str, Any]:
    return {"kind": kinds.SAMPLE, "at": at, "tree": tree, "rss": tree, "vm": tree, **fields}


def test_the_history_stays_small_and_keeps_what_was_reached() -> None:
    history = History()
    for second in range(20_000):
        history.add(sample(second, 10 if second != 5 else 99, reading={"cpu": 1.0}))

    window = history.window()

    assert len(window.levels) <= MOST and len(window.readings) <= MOST
    assert 99 == max(level.tree_bytes for level in window.levels)
    assert [19_999.0, 19_998.0] == [level.at for level in window.levels[:-3:-1]]


def test_a_leak_of_hours_is_foretold_long_before_the_end() -> None:
    watching, limit = Watching(), 8_000_000_000
    for second in range(0, 24_000, 5):
        used = int(limit * second / 24_000)
        said = watching.saw(sample(second, used, groups=[["/pod", 2, used, limit, 0, 0]]))
        if said:
            break

    assert "memory-filling" == said[0].slug
    assert 0.78 < second / 24_000 < 0.85
    assert "min" in said[0].says


def test_a_broken_watch_silences_no_other_and_is_asked_once() -> None:
    calls = []
    page = "One sentence.\n\n## What it sees\nx\n\n## When it speaks\nx\n\n## What to do\nx\n"

    def breaks(window: Window) -> Any:
        calls.append(window)
        raise ValueError

    def speaks(window: Window) -> Any:
        from outlive.model.findings import Finding

        yield Finding("It will end badly.")

    breaks.__doc__ = speaks.__doc__ = page
    watching = Watching([watch("W901", since="0.3")(breaks), watch("W902", since="0.3")(speaks)])

    said = [finding.slug for at in range(10) for finding in watching.saw(sample(at))]

    assert ["speaks"] == said
    assert 1 == len(calls)


def test_an_entry_of_the_record_holds_what_was_said() -> None:
    from outlive.model.findings import Fact, Finding, Remedy

    written = entry(
        2.5,
        Finding("It fills.", (Fact("free", "1 GB", "statvfs"),), remedies=(Remedy("Stop."),), slug="x"),
    )  # fmt: skip

    assert {
        "kind": kinds.WARNING, "at": 2.5, "slug": "x", "says": "It fills.",
        "facts": [["free", "1 GB", "statvfs"]], "remedies": [["Stop.", []]],
    } == written  # fmt: skip
