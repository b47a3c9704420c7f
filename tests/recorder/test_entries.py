"""After a death each file of the record is decoded once, however many look at it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import Outlive
from outlive.inside.notes import kinds
from outlive.inside.notes.format import encode
from outlive.recorder.store.entries import entries, reading_once

NOTE = {"kind": kinds.PROCESS, "time": 1000.1, "pid": 7, "python": "3.12"}

#: Runs Outlive, and says on stderr of each ring that it is decoded.
COUNTING = """
import sys
import outlive.recorder.store.entries as store
from outlive.__main__ import main

def reading(path, *rest, real=store.content_of):
    global path_read
    path_read = path
    return real(path, *rest)

def decoding(data, real=store.decode):
    if path_read.endswith(".ring"):
        sys.stderr.write("decoded a ring\\n")
    return real(data)

store.content_of, store.decode = reading, decoding
sys.exit(main(sys.argv[1:]))
"""


def test_a_file_is_read_anew_unless_it_is_to_be_read_once(tmp_path: Path) -> None:
    ring = tmp_path / "7-1.ring"
    ring.write_bytes(encode(1, NOTE))
    with reading_once():
        assert 1 == len(entries(str(ring)))
        ring.write_bytes(encode(1, NOTE) + encode(2, NOTE))
        assert 1 == len(entries(str(ring)))

    assert 2 == len(entries(str(ring)))


@pytest.mark.death
def test_the_ring_of_a_dead_program_is_decoded_once_by_every_command(outlive: Outlive) -> None:
    outlive.script("dies.py", "{}['rate']\n")

    def told(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-c", COUNTING, *words],
            cwd=outlive.folder, env=os.environ | outlive.environment,
            capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        return done.stderr

    run = told("run", "dies.py")

    assert "KeyError: 'rate'" in run
    assert 1 == run.count("decoded a ring"), run
    for words in (
        ("why", "--again"),
        ("why", "--html", "-"),
        ("runs", "export", "last", "run.zip"),
        ("why", "--html", "-", "run.zip"),
    ):
        assert 1 == told(*words).count("decoded a ring"), words
