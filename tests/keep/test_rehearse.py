"""`outlive rehearse`, end to end: deaths that are foreseen and then really come, programs that live, files that stay as they were."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from limited import enter

from conftest import Outlive, skip_for_want_of
from outlive.inside.machine.host import Host
from outlive.keep.rehearse.overlay import Overlay, overlay_over
from outlive.recorder.worker_cgroup import PREFIX, make_cell

LIMIT = 200
SECONDS = "8"

#: What each of them needs: the number of the step goes to a file outside of the working folder, and only a rehearsal takes its time.
HEAD = """\
import os, sys, time
mark = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
pause = 0.01 if "slowly" in sys.argv else 0

def begin(step):
    os.pwrite(mark, b"%10d" % step, 0)
    time.sleep(pause)
"""

DEATHS = {
    "list": """
def main():
    album = []
    for picture in range(100_000):
        begin(picture)
        album.append(bytearray(60_000))

main()
""",
    "cache": """
import functools

@functools.lru_cache(maxsize=None)
def load(number):
    return bytearray(50_000)

for epoch in range(9):
    for number in [n for n in range(20_000)]:
        begin(number)
        load(number)
""",
    "worker": """
import multiprocessing

def keep(results):
    kept = []
    while True:
        kept.append(bytearray(50_000) + results.recv())
        answers.send(b"")

reader, writer = multiprocessing.Pipe(False)
received, answers = multiprocessing.Pipe(False)
child = multiprocessing.get_context("fork").Process(target=keep, args=(reader,))
child.start()
answers.close()
for i, word in enumerate([b"x"] * 100_000):
    begin(i)
    writer.send(word)
    try:
        received.recv()
    except EOFError:
        os.kill(os.getpid(), 9)
""",
}

LIVES = {
    "frees": """
for step in range(3000):
    begin(step)
    bytearray(500_000)
""",
    "bounded": """
import collections
last = collections.deque(maxlen=100)
for step in range(3000):
    begin(step)
    last.append(bytearray(300_000))
""",
    "ends": """
print(sum(range(1000)))
""",
}


def rehearsed(outlive: Outlive, *words: str) -> dict[str, Any]:
    done = outlive("rehearse", "--json", *words, seconds=100)
    assert done.stdout, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    assert {"lives": 0, "dies": 1, "grows": 1, "unknown": 3}[told["answer"]] == done.status
    return told


def let_it_run(script: Path, group: Path, mark: Path) -> tuple[int, int]:
    done = subprocess.run(
        [sys.executable, str(script), str(mark)],
        preexec_fn=lambda: enter(group),
        capture_output=True,
        timeout=100,
        check=False,
    )
    return done.returncode, int(mark.read_bytes() or b"0")


def can_overlay(folder: Path) -> bool:
    with overlay_over(str(folder)) as overlay:
        return isinstance(overlay, Overlay)


@pytest.mark.death
@pytest.mark.memory(LIMIT)
@pytest.mark.timeout(200)
@pytest.mark.parametrize("name", DEATHS)
def test_a_death_is_foreseen_to_the_step(
    outlive: Outlive, group: Path, tmp_path: Path, name: str
) -> None:
    script = outlive.script("train.py", HEAD + DEATHS[name])

    told = rehearsed(
        outlive, "--in-place", "--seconds", SECONDS, "--memory", f"{LIMIT}MiB",
        "train.py", str(tmp_path / "slow"), "slowly",
    )  # fmt: skip
    status, step = let_it_run(script, group, tmp_path / "mark")

    assert (-signal.SIGKILL, "dies") == (status, told["answer"]), told
    assert told["limit_reached"]["step"] == pytest.approx(step, rel=0.15), told
    assert "iterations of the loop" == told["steps"]["counted"]
    if name == "list":
        assert "kept-in-container" == told["growth"]["slug"]
        assert "album.append" in script.read_text().splitlines()[told["growth"]["line"] - 1]


@pytest.mark.memory(LIMIT)
@pytest.mark.timeout(200)
@pytest.mark.parametrize("name", LIVES)
def test_what_lives_is_said_to_live(
    outlive: Outlive, group: Path, tmp_path: Path, name: str
) -> None:
    script = outlive.script("train.py", HEAD + LIVES[name])

    told = rehearsed(
        outlive, "--in-place", "--seconds", SECONDS, "--memory", f"{LIMIT}MiB",
        "train.py", str(tmp_path / "slow"), "slowly",
    )  # fmt: skip
    status, _ = let_it_run(script, group, tmp_path / "mark")

    assert (0, "lives") == (status, told["answer"]), told


WRITES = """
import os, time
with open("kept.txt", "a") as file:
    file.write("changed")
os.mkdir("new")
open("new/model.bin", "wb").write(bytes(3_000_000))
os.remove("old.txt")
print(open("kept.txt").read(), sorted(os.listdir()))
"""


def test_the_files_of_the_working_folder_stay_as_they_were(
    outlive: Outlive, tmp_path: Path
) -> None:
    if not can_overlay(outlive.folder):
        skip_for_want_of("no overlay can be made here")
    outlive.script("train.py", WRITES)
    (outlive.folder / "kept.txt").write_text("as it was")
    (outlive.folder / "old.txt").write_text("old")
    (tmp_path / "temp").mkdir()

    done = outlive("rehearse", "train.py", variables={"TMPDIR": str(tmp_path / "temp")})

    assert 0 == done.status, done.stdout + done.stderr
    assert "unchanged: writes to work went to an overlay (unshare -" in done.stdout
    assert ["kept.txt", "old.txt", "train.py"] == sorted(os.listdir(outlive.folder))
    assert "as it was" == (outlive.folder / "kept.txt").read_text()
    assert [] == os.listdir(tmp_path / "temp"), "the upper folder is removed"


def test_in_place_the_program_writes_where_it_writes(outlive: Outlive) -> None:
    outlive.script("train.py", 'open("made.txt", "w").write("here")')

    done = outlive("rehearse", "--in-place", "train.py")

    assert 0 == done.status
    assert "here" == (outlive.folder / "made.txt").read_text()
    assert "not protected" in done.stdout


def test_without_an_overlay_it_says_so_and_runs_nothing(outlive: Outlive, tmp_path: Path) -> None:
    outlive.script("train.py", 'open("made.txt", "w")')
    (tmp_path / "empty").mkdir()

    done = outlive("rehearse", "train.py", variables={"PATH": str(tmp_path / "empty")})

    assert 2 == done.status
    assert "--in-place" in done.stderr
    assert ["train.py"] == os.listdir(outlive.folder)


WAITS = """
import os, sys, time
with open(sys.argv[1], "w") as pipe:
    pipe.write(str(os.getpid()))
for turn in range(10_000):
    time.sleep(0.1)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_leaves_nothing_behind(
    outlive: Outlive, tmp_path: Path, number: signal.Signals
) -> None:
    outlive.script("train.py", WAITS)
    (tmp_path / "temp").mkdir()
    os.mkfifo(tmp_path / "pipe")
    cell = make_cell(Host(), 10**9)
    parent = os.path.dirname(cell.path) if cell is not None else None
    if cell is not None:
        cell.remove()
    keep = [] if can_overlay(outlive.folder) else ["--in-place"]
    process = subprocess.Popen(
        [sys.executable, "-m", "outlive", "rehearse", *keep, "--memory", "1GB", "train.py", str(tmp_path / "pipe")],
        cwd=outlive.folder,
        env=outlive.environment | {"TMPDIR": str(tmp_path / "temp")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    program = int((tmp_path / "pipe").read_text())

    process.send_signal(number)
    _, error = process.communicate(timeout=60)

    assert 128 + number == process.returncode, error
    assert not os.path.exists(f"/proc/{program}")
    assert [] == os.listdir(tmp_path / "temp")
    left = os.listdir(parent) if parent is not None else []
    assert not [name for name in left if name.startswith(f"{PREFIX}{process.pid}-")]


def test_what_fails_at_once_is_a_death_with_its_cause(outlive: Outlive) -> None:
    outlive.script("train.py", "import no_such_module_anywhere\n")

    told = rehearsed(outlive, "train.py") if can_overlay(outlive.folder) else rehearsed(outlive, "--in-place", "train.py")  # fmt: skip

    assert ("dies", 1) == (told["answer"], told["status"])
    assert "no_such_module_anywhere" in told["growth"]["what"]
    assert "train.py failed" in told["says"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "No command given"),
        (("missing.py",), "There is no 'missing.py'"),
        (("--in-place", "--", "no-such-command"), "no-such-command"),
        (("--memory", "much", "train.py"), "is not a size"),
        (("--seconds", "0", "train.py"), "--seconds"),
    ],
)
def test_what_cannot_be_rehearsed_is_said(
    outlive: Outlive, words: tuple[str, ...], said: str
) -> None:
    outlive.script("train.py", "")

    done = outlive("rehearse", *words)

    assert 2 == done.status
    assert said in done.stderr
