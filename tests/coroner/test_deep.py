"""`outlive run --deep`: the line that made what is alive, where no container keeps it and the stacks show another line."""

from __future__ import annotations

import json
import signal
import subprocess
import sys

import pytest
from limited import enter, memory_group, parent_group

from conftest import Outlive
from recorded_deaths import nobody_saw

pytestmark = pytest.mark.death

SECONDS = 90

#: What grows is made on a line that takes no time; what takes the time makes nothing that stays.
TEXT = """
import os


class Bag:
    def __init__(self):
        self.data = bytearray()

    def eat(self):
        part = os.urandom(200_000)
        self.data += part


bag = Bag()
for number in range(COUNT):
    bag.eat()
"""
LINE = 1 + TEXT.splitlines().index("        self.data += part")


def run(outlive: Outlive, count: int, *options: str) -> tuple[int, dict]:
    """Its status and its verdict; once more where nobody saw its end."""
    status, verdict = _run(outlive, count, *options)
    return _run(outlive, count, *options) if nobody_saw(verdict) else (status, verdict)


def _run(outlive: Outlive, count: int, *options: str) -> tuple[int, dict]:
    if parent_group() is None:
        pytest.skip("no memory cgroup can be made here (not root, or not mounted)")
    script = outlive.script("eater.py", TEXT.replace("COUNT", str(count)))
    with memory_group(250) as group:
        done = subprocess.run(
            [sys.executable, "-m", "outlive", "run", *options, str(script)],
            env=outlive.environment,
            cwd=outlive.folder,
            preexec_fn=lambda: enter(group),
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=False,
        )
    return done.returncode, json.loads(outlive("why", "--json").stdout)


def test_the_line_that_made_what_is_alive_is_named(outlive: Outlive) -> None:
    status, verdict = run(outlive, 100_000, "--deep")

    assert -signal.SIGKILL == status
    cause = verdict["cause"]
    assert ("memory-limit-reached", LINE) == (cause["slug"], cause["where"]["line"])
    assert ["eat"] == [cause["where"]["function"]]
    assert any(f"eater.py:{LINE}" in fact["name"] for fact in cause["because"]), cause["because"]


def test_a_program_that_is_well_is_not_traced(outlive: Outlive) -> None:
    status, verdict = run(outlive, 10, "--deep")

    assert (0, None) == (status, verdict["cause"])


def test_nothing_is_traced_unless_it_is_asked_for(outlive: Outlive) -> None:
    if parent_group() is None:
        pytest.skip("no memory cgroup can be made here (not root, or not mounted)")
    script = outlive.script(
        "traced.py",
        "import time, tracemalloc\nkept = b'x' * 150_000_000\ntime.sleep(1)\nassert not tracemalloc.is_tracing()",
    )
    with memory_group(250) as group:
        done = subprocess.run(
            [sys.executable, "-m", "outlive", "run", str(script)],
            env=outlive.environment,
            preexec_fn=lambda: enter(group),
            timeout=SECONDS,
            check=False,
        )

    assert 0 == done.returncode
