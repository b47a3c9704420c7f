"""`outlive run --hang-after`: what is told, when, and that the program does not notice; and the pure parts behind it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from conftest import Outlive
from outlive.cli.run_program.request import Options, parse
from outlive.coroner.gather.wait_kinds import Told, by_the_kernel
from outlive.errors import UsageError
from outlive.inside.machine.host import Host
from outlive.inside.notes import kinds
from outlive.model.events import Stack
from outlive.model.findings import Place
from outlive.model.waits import Forked, Held, Standstill, Thing, Wait, Waiting
from outlive.recorder.hang.linux_waits import waits_of
from outlive.recorder.hang.progress import Reading, Stillness, moved_between
from outlive.recorder.hang.watch import HangWatch, QuietWatch
from outlive.recorder.store.entries import entries

PID = 7

WAITS_THEN_WORKS = """
import os, sys, time
while not os.path.exists("go"):
    time.sleep(1)
while time.process_time() < 2:
    sum(range(1000))
print("done")
sys.exit(3)
"""


@pytest.mark.parametrize("words", [["--hang-after", "300"], ["--hang-after=300"]])
def test_the_seconds_are_taken_in_both_ways_of_writing(words: list[str]) -> None:
    request = parse([*words, "--quiet", "train.py", "--hang-after", "5"])

    assert Options(hang_after=300.0, quiet=True) == request.options
    assert ["train.py", "--hang-after", "5"] == request.command[1:]


@pytest.mark.parametrize("value", ["0", "-1", "soon", "", "inf", "nan"])
def test_other_seconds_are_refused(value: str) -> None:
    with pytest.raises(UsageError, match="--hang-after"):
        parse(["--hang-after", value, "train.py"])


@pytest.mark.death
def test_a_pause_is_told_and_the_program_goes_on_to_its_own_end(outlive: Outlive) -> None:
    script = outlive.script("pauses.py", WAITS_THEN_WORKS)

    with subprocess.Popen(
        [sys.executable, "-m", "outlive", "run", "--hang-after", "1", str(script)],
        cwd=outlive.folder, env=outlive.environment, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert process.stdout is not None and process.stderr is not None
        text = ""
        while "still running, but stuck for" not in text:
            line = process.stderr.readline()
            assert line, text
            text += line
        (outlive.folder / "go").touch()
        text += process.stderr.read()
        stdout = process.stdout.read()

    text = " ".join(text.split())
    assert (3, "done\n") == (process.returncode, stdout)
    assert "the end of a sleep at pauses.py:4" in text
    assert "the program continues" in text
    verdict = json.loads(outlive("why", "--json").stdout)
    assert ("exit", "exited-by-program") == (verdict["ending"]["kind"], verdict["cause"]["slug"])
    assert [] == verdict["also"]


TWO_LOCKS = """
import threading
a, b, held = threading.Lock(), threading.Lock(), threading.Barrier(2)

def take(first, second):
    with first:
        held.wait()
        with second:
            pass

workers = [threading.Thread(target=take, args=pair) for pair in ((a, b), (b, a))]
for worker in workers:
    worker.start()
workers[0].join()
"""


@pytest.mark.death
def test_a_deadlock_that_outlasts_ctrl_c_is_not_said_to_continue_but_how_to_end_it(
    outlive: Outlive,
) -> None:
    script = outlive.script("locks.py", TWO_LOCKS)
    told = ""

    def read_to(end: str) -> str:
        nonlocal told
        before = len(told)
        while end not in told[before:]:
            line = process.stderr.readline()  # type: ignore[union-attr]
            assert line, told
            told += line
        return told[before:]

    with subprocess.Popen(
        [sys.executable, "-m", "outlive", "run", "--hang-after", "1", str(script)],
        cwd=outlive.folder, env=outlive.environment, text=True, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        assert "deadlocked]" in read_to("  More ")
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does on Ctrl-C
        after = read_to("outlive: still stuck.")
        os.killpg(process.pid, signal.SIGINT)
        read_to("outlive: locks.py ")

    assert "press it again" in after
    assert "continues" not in told


@pytest.mark.death
def test_a_program_that_computes_is_slow_and_not_stuck(outlive: Outlive) -> None:
    script = outlive.script(
        "computes.py",
        "import time\nend = time.monotonic() + 4\nwhile time.monotonic() < end:\n    pass\n",
    )

    done = outlive("run", "--hang-after", "1", str(script))

    assert (0, "", "") == (done.status, done.stdout, done.stderr)


@pytest.mark.death
def test_work_of_a_child_is_progress(outlive: Outlive) -> None:
    busy = "import time\nwhile time.process_time() < 4: pass"
    script = outlive.script(
        "waits.py", f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {busy!r}])\n"
    )

    done = outlive("run", "--hang-after", "1", str(script))

    assert (0, "", "") == (done.status, done.stdout, done.stderr)


@pytest.mark.death
def test_quiet_keeps_quiet(outlive: Outlive) -> None:
    script = outlive.script("sleeps.py", "import time\ntime.sleep(5)\n")

    done = outlive("run", "--quiet", "--hang-after", "1", str(script))

    assert (0, "", "") == (done.status, done.stdout, done.stderr)


def reading(at: float, cpu: float = 0.0, moved: int = 0, *pids: int) -> Reading:
    return Reading(at, cpu, moved, frozenset(pids or (PID,)))


@pytest.mark.parametrize(
    ("later", "moved"),
    [
        (reading(10.0, 0.2), False),
        (reading(10.0, 1.0), True),
        (reading(10.0, 0.0, 50_000), False),
        (reading(10.0, 0.0, 5_000_000), True),
        (reading(10.0, 0.0, 0, PID, PID + 1), True),
    ],
    ids=["a trickle of CPU", "CPU", "a trickle of bytes", "bytes", "a new process"],
)
def test_progress_is_more_than_a_trickle(later: Reading, moved: bool) -> None:
    assert moved == moved_between(reading(0.0), later)


def test_stillness_begins_with_the_last_movement() -> None:
    stillness = Stillness()

    for at, cpu in ((0.0, 0.0), (1.0, 1.0), (2.0, 2.0), (3.0, 2.0), (9.0, 2.1)):
        stillness.saw(reading(at, cpu))

    assert 7.0 == stillness.seconds
    assert stillness.cpu_share < 0.02


def thread(
    name: str, wait: Wait, thing: Thing | None = None, *, ident: int = 0, pid: int = PID,
    holds: tuple[Thing, ...] = (), timed: bool = False, file: str = "/home/user/train.py",
) -> Waiting:  # fmt: skip
    place = Place(file, 3, "work")
    return Waiting(
        stack=Stack(name, (place,), main=name == "main", pid=pid),
        wait=wait,
        ident=ident,
        thing=thing,
        timed=timed,
        holds=tuple(Held(f"lock {held.id}", place, held) for held in holds),
    )


def lock(number: int, owner: int | None = None) -> Thing:
    return Thing("rlock" if owner else "lock", number, locked=True, owner=owner)


def test_two_threads_that_hold_what_the_other_wants_are_a_circle() -> None:
    one = thread("main", Wait.LOCK, lock(1), holds=(lock(2),))
    two = thread("two", Wait.LOCK, lock(2), holds=(lock(1),))

    assert (one, two) == Standstill(9.0, (two, one), PID).cycle()


def test_a_timeout_breaks_the_circle() -> None:
    one = thread("main", Wait.LOCK, lock(1), holds=(lock(2),), timed=True)
    two = thread("two", Wait.LOCK, lock(2), holds=(lock(1),))

    assert () == Standstill(9.0, (one, two), PID).cycle()


def test_the_same_lock_in_another_process_is_another_lock() -> None:
    one = thread("main", Wait.LOCK, lock(1), holds=(lock(2),))
    two = thread("main", Wait.LOCK, lock(2), holds=(lock(1),), pid=PID + 1)

    assert () == Standstill(9.0, (one, two), PID).cycle()


def test_an_rlock_knows_its_owner() -> None:
    one = thread("main", Wait.LOCK, lock(1, owner=20), ident=10)
    two = thread("two", Wait.THREAD, Thing("thread", 5, target=10), ident=20)

    assert (one, two) == Standstill(9.0, (one, two), PID).cycle()


def test_the_end_of_the_chain_is_the_thread_that_waits_for_no_other() -> None:
    main = thread("main", Wait.THREAD, Thing("thread", 5, target=20), ident=10)
    loader = thread("loader", Wait.EVENT, Thing("event", 6), ident=20)
    still = Standstill(9.0, (main, loader), PID)

    assert (loader,) == still.ends()
    assert still.may_go_on() is None


def test_a_lock_that_no_thread_of_a_forked_child_holds_was_left_behind() -> None:
    child = thread("main", Wait.LOCK, lock(1, owner=99), pid=PID + 1)
    still = Standstill(9.0, (child,), PID, forked={PID + 1: Forked(PID, 3)})

    assert (child,) == still.left_behind()
    assert () == Standstill(9.0, (child,), PID, forked={PID + 1: Forked(PID, 0)}).left_behind()


def test_a_forked_child_is_lost_only_where_nobody_can_ever_wake_it() -> None:
    """In TensorFlow without a thread of its own; or at a lock whose holder only the parent has."""
    frames = (Place("/lib/site-packages/tensorflow/ops.py", 3, "matmul", own=False),)
    child = Waiting(
        Stack("MainThread", frames, main=True, pid=PID + 1), Wait.TENSORFLOW, call="futex"
    )
    timed = replace(child, call="futex with a timeout")
    helper = Waiting(Stack("helper", (), pid=PID + 1), Wait.CONNECTION)

    def still(*threads: Waiting, tasks: int = 2, others: tuple[str, ...] = ()) -> Standstill:
        forked = {PID + 1: Forked(PID, 3, others)}
        return Standstill(9.0, threads, PID, forked=forked, tasks={PID + 1: tasks})

    assert still(child).is_lost(child)
    assert not still(child, tasks=3).is_lost(child)
    assert not still(timed).is_lost(timed)
    assert not still(child, helper, tasks=3).is_lost(child)

    lock = Thing("lock", 5, True)
    waits = Waiting(Stack("MainThread", (), main=True, pid=PID + 1), Wait.LOCK, thing=lock)
    holds = (Held("lock", Place("a.py", 8), lock),)
    writer = Waiting(Stack("writer", (Place("a.py", 9),), pid=PID), Wait.EVENT, holds=holds)
    assert still(waits, writer, others=("writer at /home/a.py:9",)).is_lost(waits)
    assert not still(waits, writer, others=("writer at /home/a.py:7",)).is_lost(waits)
    assert not still(waits, others=("writer at /home/a.py:9",)).is_lost(waits)


@pytest.mark.parametrize(
    ("call", "target", "wait"),
    [
        ("read", "0 /dev/pts/3", Wait.INPUT),
        ("read", "5 pipe:[77]", Wait.PIPE),
        ("read", "5 socket:[77]", Wait.CONNECTION),
        ("write", "1 pipe:[77] of 12", Wait.READER),
        ("sleep", "", Wait.SLEEP),
        ("accept", "3 socket:[1]", Wait.CONNECTION),
        ("wait", "", Wait.SUBPROCESS),
    ],
)
def test_the_kernel_tells_what_is_waited_for(call: str, target: str, wait: Wait) -> None:
    told = by_the_kernel(call, target, set())

    assert isinstance(told, Told)
    assert wait is told.wait


def test_a_lock_is_nothing_that_the_kernel_can_tell() -> None:
    assert by_the_kernel("futex", "", set()) is None


def test_calls_of_the_kernel_are_read_from_proc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class System:
        machine = "x86_64"

    monkeypatch.setattr("os.uname", System)
    for number, text in ((7, "0 0x0 0x7f 0x1 0x0 0x0 0x0 0x7f 0x7f"), (8, "running"), (9, "")):
        task = tmp_path / f"proc/7/task/{number}"
        task.mkdir(parents=True)
        (task / "stat").write_text(f"{number} (a) b) S 1 1")
        (task / "syscall").write_text(text)
    (tmp_path / "proc/7/fd").mkdir()
    (tmp_path / "proc/7/fd/0").symlink_to("/dev/pts/4")

    waits = waits_of(Host(str(tmp_path)), 7)

    assert [[7, "S", "read", "0 /dev/pts/4"], [8, "S", "running", ""], [9, "S", "", ""]] == waits


@pytest.mark.death
def test_a_deadlock_that_a_time_limit_ends_is_the_cause_although_nobody_asked(
    outlive: Outlive,
) -> None:
    """`timeout 20 outlive run train.py` in a CI job: nothing is printed while it stands, and the verdict on its end knows why it stood."""
    script = outlive.script("locks.py", TWO_LOCKS)

    with subprocess.Popen(
        [sys.executable, "-m", "outlive", "run", str(script)],
        cwd=outlive.folder, env=outlive.environment, text=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    ) as process:  # fmt: skip
        while not any(_noted(run) for run in outlive.runs):
            assert process.poll() is None
            time.sleep(0.2)
        process.terminate()
        told = process.communicate()[1]

    assert -signal.SIGTERM == process.returncode
    assert told.lstrip().startswith("outlive: locks.py was terminated")
    assert "deadlocked]" in told


def _noted(run: Path) -> bool:
    """Whether the supervisor has noted that the program of a run stands still."""
    log = run / "supervisor.log"
    return log.exists() and any(entry.get("kind") == kinds.HANG for entry in entries(str(log)))


def test_a_quiet_watch_looks_about_once_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[float] = []
    monkeypatch.setattr(HangWatch, "saw", lambda self, at, pids: looked.append(at))
    watch = QuietWatch(Host("/nowhere"), None)

    for tenth in range(30):
        watch.saw(tenth / 10, [PID])

    assert [0.0, 0.9, 1.8, 2.7] == looked


def test_a_program_that_goes_on_after_each_wait_is_asked_less_and_less_often(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[float] = []

    class Moving(HangWatch):
        def __init__(self, host: Host, rings: str | None, after: float) -> None:
            super().__init__(host, rings, after)
            made.append(after)

        def saw(self, at: float, pids: object) -> dict[str, object]:
            return {"kind": kinds.MOVING, "at": at}

    monkeypatch.setattr("outlive.recorder.hang.watch.HangWatch", Moving)
    watch = QuietWatch(Host("/nowhere"), None)

    for second in range(3):
        watch.saw(float(second), [PID])

    assert [8.0, 16.0, 32.0, 64.0] == made
