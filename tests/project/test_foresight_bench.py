"""The measure of lint on buggy programs: a pair is detected where only the buggy one is told of, and a fixed one that is told of is an alarm."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

MEASURE = Path(__file__).resolve().parent.parent.parent / "bench" / "foresight" / "measure.py"

START = """\
import tensorflow as tf
with tf.compat.v1.Session() as session:
    pixels = tf.compat.v1.placeholder(tf.float32, [2])
"""
BUGGY = START + "    print(session.run(pixels))\n"
FIXED = START + "    print(session.run(pixels, feed_dict={pixels: [1, 2]}))\n"


def clone(folder: Path, programs: dict[str, tuple[str, str]]) -> Path:
    for name, versions in programs.items():
        for version, text in zip(("buggy", "fix"), versions, strict=True):
            place = folder / "StackOverflow" / name / f"1-{version}"
            place.mkdir(parents=True)
            (place / "program.py").write_text(text)
    return folder


def rows(folder: Path) -> dict[str, list[str]]:
    command = [sys.executable, str(MEASURE), "--stackoverflow", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    table = [[cell.strip() for cell in line.strip("|").split("|")] for line in done.stdout.splitlines()]  # fmt: skip
    return {row[1]: row[2:] for row in table[2:]}


def test_a_pair_is_detected_and_a_fixed_one_that_is_told_of_is_an_alarm(tmp_path: Path) -> None:
    found = rows(clone(tmp_path, {"UT-101": (BUGGY, FIXED), "UT-102": (BUGGY, BUGGY), "UT-104": (FIXED, FIXED)}))  # fmt: skip

    detected, in_text, at_the_line, flagged, precision = found["odd"]
    assert (detected, in_text, at_the_line) == ("1/1 (100 %)", "-", "1")
    assert (flagged, precision) == ("0/1 (0 %)", "100 %")
    assert (found["even"][0], found["even"][3]) == ("0/2 (0 %)", "1/2 (50 %)")


def test_a_folder_without_the_set_is_refused(tmp_path: Path) -> None:
    command = [sys.executable, str(MEASURE), "--stackoverflow", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode != 0
    assert "nothing of the set" in done.stderr
