"""The verdict right after a death fits a terminal: real verdicts of every cause, any verdict, and a real terminal."""

from __future__ import annotations

import fcntl
import io
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Sequence
from pathlib import Path

import pyte
import pytest
from hypothesis import given
from rich.cells import cell_len
from rich.console import Console

from conftest import ROOT, SECONDS, Outlive
from made_verdicts import UNSAFE, verdicts
from outlive.model.findings import OF_A_NOTEBOOK, EndedBy, Ending, EndingKind, Place, Verdict
from outlive.model.verdict_json import from_json
from outlive.report.headline import headline, program_name
from outlive.report.screen import render_screen

MOST_ROWS = 16
ALL = sorted((ROOT / "docs/verdicts").glob("*.json"))


def screen(verdict: Verdict, width: int, terminal: bool = False) -> str:
    stream = io.StringIO()
    console = Console(file=stream, width=width, markup=False, emoji=False, force_terminal=terminal)
    render_screen(verdict, console, around, "train.py", lambda place: f"file:///{place.file}")
    return stream.getvalue()


def around(place: Place) -> Sequence[tuple[int, str]]:
    return [(place.line + n, place.code if n == 0 else "    before = after") for n in range(-2, 3)]


@pytest.mark.parametrize("width", [80, 60])
@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_the_verdict_of_every_cause_fits(path: Path, width: int) -> None:
    verdict = from_json(json.dumps(json.loads(path.read_text())["verdict"]))

    rows = screen(verdict, width).splitlines()

    assert len(rows) <= MOST_ROWS
    assert max(map(cell_len, rows)) <= width
    told = " ".join(" ".join(rows).split())
    assert verdict.cause is not None
    assert f": {verdict.cause.slug}]" in told
    assert "train.py" in rows[0] or OF_A_NOTEBOOK in verdict.ending.detail
    if verdict.cause.where is not None:
        assert re.search(rf"→ {verdict.cause.where.line} │", told)


@given(verdicts)
def test_any_verdict_fits_and_none_is_obeyed(verdict: Verdict) -> None:
    rows = screen(verdict, 80).splitlines()

    assert (
        len(rows) <= MOST_ROWS + 4
    )  # what had no effect, and an error of our own, are said besides
    assert max(map(cell_len, rows)) <= 80
    assert not any(UNSAFE.search(row) for row in rows)


def test_only_a_terminal_gets_a_link() -> None:
    verdict = from_json(json.dumps(json.loads(ALL[0].read_text())["verdict"]))

    assert "\x1b]8;" in screen(verdict, 80, terminal=True)
    assert "\x1b" not in screen(verdict, 80)


KILLED = "ended by SIGKILL after 6.6 s"


@pytest.mark.parametrize(
    ("ending", "says"),
    [
        (
            Ending(EndingKind.SIGNAL, "SIGKILL", None, EndedBy.KERNEL_OOM, KILLED),
            "train.py was killed after 6.6 s: out of memory (SIGKILL)",
        ),
        (
            Ending(EndingKind.SIGNAL, "SIGKILL", None, EndedBy.PROCESS, KILLED),
            "train.py was killed by another process after 6.6 s (SIGKILL)",
        ),
        (
            Ending(EndingKind.SIGNAL, "SIGSEGV", None, EndedBy.ITSELF, "ended by SIGSEGV"),
            "train.py crashed (SIGSEGV)",
        ),
        (
            Ending(EndingKind.SIGNAL, "SIGTERM", detail="ended by SIGTERM after 8.0 s (Outlive ended it because it hung)"),
            "train.py was terminated after 8.0 s (SIGTERM) (Outlive ended it because it hung)",
        ),
        (
            Ending(EndingKind.EXCEPTION, None, 1, EndedBy.ITSELF, "exit status 1 after 0.2 s"),
            "train.py failed after 0.2 s: uncaught exception (exit status 1)",
        ),
        (
            Ending(EndingKind.EXIT, None, 3, EndedBy.ITSELF, "exit status 3 after 0.2 s"),
            "train.py exited with status 3 after 0.2 s",
        ),
        (Ending(EndingKind.SUCCESS, None, 0, detail="finished after 2.0 s"), "train.py finished after 2.0 s"),
        (
            Ending(EndingKind.HANG, detail="still running, but stuck for 7.5 s (0% of a core, no I/O)"),
            "train.py is still running, but stuck for 7.5 s (0% of a core, no I/O)",
        ),
        (Ending(EndingKind.SIGNAL, "SIGBUS", detail="worker 7 ended by SIGBUS"), "train.py: worker 7 ended by SIGBUS"),
    ],
)  # fmt: skip
def test_the_headline_says_what_happened(ending: Ending, says: str) -> None:
    assert says == headline(ending, "train.py")


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["/usr/bin/python3", "src/train.py", "--epochs", "3"], "train.py"),
        (["python", "-m", "my.training"], "my.training"),
        (["python", "-c", "print(1)"], "python -c"),
        (["papermill", "in.ipynb", "out.ipynb"], "in.ipynb"),
        (["/bin/bash", "run.sh"], "bash"),
        ([], "the program"),
    ],
)
def test_a_program_is_called_by_its_script(command: list[str], name: str) -> None:
    assert name == program_name(command)


#: By cause.
DIES = {
    "exited-by-program": "import sys\nsys.exit(3)",
    "uncaught-exception": "def step(batch):\n    return batch['missing']\nstep({})",
    "user-native-crashed": "import ctypes\nctypes.string_at(0)",
    "exited-without-cleanup": "import os\nos.abort()",
    "killed-by-process": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
    "address-space-limit": "import resource\nresource.setrlimit(resource.RLIMIT_AS, (1 << 30,) * 2)\nbytearray(1 << 32)",
    "recursion-too-deep": "def deeper(n):\n    return deeper(n + 1)\ndeeper(0)",
    "missing-file": "open('no/such/file.csv')",
    "too-many-open-files": "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))\nkept = [open(__file__) for _ in range(99)]",
    "alarm-not-cancelled": "import signal, time\nsignal.alarm(1)\ntime.sleep(9)",
}  # fmt: skip


@pytest.mark.death
@pytest.mark.parametrize(("slug", "source"), DIES.items(), ids=DIES.keys())
def test_ten_deaths_of_different_causes_each_fit_a_real_terminal_of_80_by_24(
    slug: str, source: str, outlive: Outlive
) -> None:
    script = outlive.script("train.py", source)
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    child = subprocess.Popen(
        [sys.executable, "-m", "outlive", "run", script.name],
        stdin=follower, stdout=subprocess.DEVNULL, stderr=follower, cwd=outlive.folder,
        env=outlive.environment | {"TERM": "xterm"}, start_new_session=True,
    )  # fmt: skip
    os.close(follower)
    terminal = pyte.Screen(80, 24)
    stream = pyte.ByteStream(terminal)
    try:
        while data := os.read(leader, 65536):
            stream.feed(data)
    except OSError:
        pass  # the other end is closed
    finally:
        os.close(leader)
    child.wait(SECONDS)

    rows = [row.rstrip() for row in terminal.display]
    first = next(number for number, row in enumerate(rows) if row.startswith("outlive: train.py "))
    last = next(number for number, row in enumerate(rows) if row.startswith("  More "))
    assert last - first < MOST_ROWS
    told = " ".join(" ".join(rows[first:last]).split())
    assert f": {slug}]" in told
    labels = [row[2:7].strip() for row in rows[first + 1 : last + 1] if row[2:3].strip()]
    assert labels[0] == "Why" and labels[-1] == "More"
