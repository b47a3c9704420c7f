"""A command that may hang: it has its time, and nothing of it is left."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

import pytest

from outlive.recorder.bounded_command import Said, ask

STARTS_ANOTHER = """
import subprocess, sys, time
child = subprocess.Popen(["sleep", "600"])
open(sys.argv[1], "w").write(str(child.pid))
time.sleep(600)
"""


def test_what_a_command_says_is_returned() -> None:
    assert Said(3, "out\n", "\ufffd\n") == ask(["sh", "-c", "echo out; printf '\\377\\n' >&2; exit 3"], 60)  # fmt: skip


def test_one_that_takes_too_long_is_ended_with_what_it_started(tmp_path: Path) -> None:
    file = tmp_path / "pid"
    began = time.monotonic()

    assert Said(None) == ask([sys.executable, "-c", STARTS_ANOTHER, str(file)], 5)
    assert time.monotonic() - began < 60
    stat = Path(f"/proc/{file.read_text()}/stat")
    deadline = time.monotonic() + 30
    while stat.exists() and stat.read_text().rpartition(")")[2].split()[0] not in "ZX":
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_what_is_not_there_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        ask([os.path.join("no", "such", "command")], 60)


def test_no_signal_is_blocked_in_it() -> None:
    old = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    try:
        assert 0 == ask(["grep", "-q", "^SigBlk:.0*$", "/proc/self/status"], 60).status
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)
