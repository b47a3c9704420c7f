"""A forked child makes its record late, and all the same nothing of what it says or dies of is lost."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from outlive.inside.notes.format import read_frames
from outlive.inside.notes.links import FOLDER_VARIABLE
from outlive.recorder.crash.shim_file import read_native
from outlive.recorder.supervisor import INSIDE_PATH
from pythons import pythons

CRASHES = """
import ctypes, os
child = os.fork()
if child == 0:
    os.write(2, b"the last word\\n")
    ctypes.string_at(0)
os.waitpid(child, 0)
print(os.getpid(), child)
"""

SAYS_NOTHING = """
import os
for _ in range(20):
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
print(sorted({name.partition(".")[0].partition("-")[0] for name in os.listdir(os.environ["OUTLIVE_RECORD_FOLDER"])}) == [str(os.getpid())])
"""

LIVES = """
import os, threading, time
def waits():
    time.sleep(60)
threading.Thread(target=waits, daemon=True, name="beside").start()
child = os.fork()
if child == 0:
    folder = os.environ["OUTLIVE_RECORD_FOLDER"]
    until = time.monotonic() + 50
    while not any(name.startswith(f"{os.getpid()}-") and name.endswith(".ring") for name in os.listdir(folder)):
        assert time.monotonic() < until
        time.sleep(0.01)
    os.kill(os.getpid(), 9)
os.waitpid(child, 0)
print(child)
"""


def run(folder: Path, code: str, version: str = "") -> list[str]:
    folder.mkdir()
    done = subprocess.run(
        [pythons()[version] if version else sys.executable, "-W", "ignore", "-c", code],
        env=os.environ | {"PYTHONPATH": INSIDE_PATH, FOLDER_VARIABLE: str(folder)},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout.split()


@pytest.mark.death
@pytest.mark.parametrize("version", sorted(pythons()))
def test_a_child_that_crashes_at_once_leaves_its_own_words_and_stacks(
    version: str, tmp_path: Path
) -> None:
    parent, child = run(tmp_path / "rings", CRASHES, version)

    reading = read_native((tmp_path / "rings" / f"{child}.native").read_bytes())
    (fault,) = (tmp_path / "rings").glob(f"{child}-*.fault")
    (parents,) = (tmp_path / "rings").glob(f"{parent}-*.fault")
    assert b"the last word" in reading.stderr_tail
    assert [11] == [seen.signo for seen in reading.signals]
    assert "string_at" in fault.read_text()
    assert b"" == parents.read_bytes()


def test_of_a_child_that_ends_at_once_nothing_is_made(tmp_path: Path) -> None:
    assert ["True"] == run(tmp_path / "rings", SAYS_NOTHING)


@pytest.mark.death
@pytest.mark.parametrize("version", sorted(pythons()))
def test_a_child_that_lives_is_recorded_and_knows_what_ran_beside_its_parent(
    version: str, tmp_path: Path
) -> None:
    (child,) = run(tmp_path / "rings", LIVES, version)

    (ring,) = (tmp_path / "rings").glob(f"{child}-*.ring")
    first = read_frames(str(ring))[0].payload
    assert ("process", 1) == (first["kind"], first["threads_at_fork"])
    (other,) = first["others_at_fork"]
    assert other.startswith("beside at <string>:4")
