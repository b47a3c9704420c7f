"""Near the memory limit the running code is stopped, and every variable lives."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from limited import enter

from conftest import UNWANTED
from notebook_kernels import Notebook, notebook, require_jupyter

require_jupyter()

pytestmark = [
    pytest.mark.death,
    pytest.mark.notebook,
    pytest.mark.timeout(300),
    pytest.mark.memory(500),
]


@pytest.fixture
def kernel(tmp_path: Path, group: Path) -> Iterator[Notebook]:
    with notebook(tmp_path, preexec_fn=lambda: enter(group)) as opened:
        opened.run("%load_ext outlive")
        yield opened


GROW = "while True:\n    kept.append(bytearray(300_000))"
SWALLOWING = "while True:\n    try:\n        kept.append(bytearray(300_000))\n    except Exception:\n        pass"


#: The first stops a cell, the second refuses the request that is too fast for the first.
STOPS = {"MemoryBrake", "MemoryError"}


@pytest.mark.parametrize(
    ("code", "stops"),
    [
        (GROW, STOPS),
        ("while True:\n    kept.append(bytearray(50_000))", STOPS),
        (SWALLOWING, {"MemoryBrake"}),
        ("kept.append(bytearray(600_000_000))", {"MemoryError"}),
    ],
    ids=[
        "plainly",
        "in small pieces, so that nothing is left to show the error with",
        "swallowing exceptions",
        "in one request",
    ],
)
def test_a_cell_that_grows_is_stopped_and_its_variables_live(
    kernel: Notebook, code: str, stops: set[str]
) -> None:
    kernel.run("kept = [0] * 400\n%outlive brake on")

    outcome = kernel.run(code)

    assert stops >= {error["ename"] for error in outcome.errors}
    assert 1 == len(outcome.errors)
    assert "brake.py" not in outcome.verdict, "our own frames tell the reader nothing"
    explained = kernel.run("%why")
    assert [] == explained.errors, "what explains the stop is not stopped"
    assert explained.shown or "Delete what you do not need" in explained.text
    assert int(kernel.run("print(len(kept))").text) >= 400
    assert "done" in kernel.run("del kept\nprint('done')").text, "after it one can go on"
    again = kernel.run("%why")
    assert again.shown, again
    told = again.shown[0]["text/plain"]
    assert "was stopped near the memory limit; the kernel continues" in told
    assert "kept.append(" in told
    assert [] == kernel.verdicts()


def test_a_guarded_cell_is_stopped_and_the_next_one_is_not_guarded(kernel: Notebook) -> None:
    kernel.run("kept = []")

    outcome = kernel.run("%%guarded\n" + GROW)

    assert STOPS & {error["ename"] for error in outcome.errors}
    assert "error" == outcome.reply["status"]
    died = kernel.run(GROW)
    assert died.errors, died
    assert "memory limit" in died.verdict


def test_without_the_brake_nothing_is_stopped(kernel: Notebook) -> None:
    kernel.run("kept = []\n%outlive brake on\n%outlive brake off")

    assert "KernelDied" in kernel.run(GROW).verdict


SCRIPT = """\
import time
kept = []
try:
    while True:
        kept.append(bytearray(300_000))
finally:
    time.sleep(0.5)  # whatever refused the memory, what is done about it is not stopped
"""
SHOWN = """\
import sys, time, traceback
kept = []
try:
    try:
        while True:
            kept.append(bytearray(50_000))
    except BaseException as error:
        raise ValueError("by the program") from error
except ValueError:
    traceback.print_exc()
    raise
finally:
"""
THREADS = """\
import threading, time
kept = []
def eat():
    while True:
        kept.append(bytearray(300_000))
        time.sleep(0.002)
threads = [threading.Thread(target=eat) for _ in range(2)]
for thread in threads:
    thread.start()
try:
    threads[0].join()
finally:
"""


@pytest.mark.parametrize(
    "text", [SCRIPT, SHOWN, THREADS], ids=["plainly", "and shows it", "in other threads"]
)
def test_a_script_is_stopped_with_an_exception(tmp_path: Path, group: Path, text: str) -> None:
    import subprocess

    script = tmp_path / "grows.py"
    script.write_text(f"{text}    print('kept', len(kept) > 300, flush=True)\n")
    environment = {name: value for name, value in os.environ.items() if name not in UNWANTED}

    done = subprocess.run(
        [sys.executable, "-m", "outlive", "run", "--brake", str(script)],
        env=environment | {"OUTLIVE_HOME": str(tmp_path / "home")},
        preexec_fn=lambda: enter(group),
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )

    assert (1, "kept True\n") == (done.returncode, done.stdout), done.stderr
    assert any(name in done.stderr for name in STOPS)
    assert "brake.py" not in done.stderr, "our own frames tell the reader nothing"
