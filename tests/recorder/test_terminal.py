"""A real terminal: what ends a program on it is told by name."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.death

PROGRAMS = Path(__file__).parent.parent / "terminal_programs"
SECONDS = 30


def waits(pid: int) -> bool:
    """Whether the main thread of a process sleeps in the kernel."""
    text = Path(f"/proc/{pid}/task/{pid}/stat").read_text()
    return text.rpartition(")")[2].split()[0] == "S"


class Terminal:
    """A pseudo-terminal on which `outlive run` is the leader of its session, as under sshd."""

    def __init__(self, home: Path, program: str) -> None:
        self.home = home
        self.master, slave = os.openpty()
        ready, tell = os.pipe()
        self.environment = os.environ | {"OUTLIVE_HOME": str(home), "VICTIM_READY": str(tell)}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "outlive", "run", sys.executable, str(PROGRAMS / program)],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=self.environment,
            pass_fds=[tell],
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )
        os.close(slave)
        os.close(tell)
        words = os.read(ready, 64)
        assert words, "the program ended before it was ready"
        os.close(ready)
        until = time.monotonic() + SECONDS
        # A signal between the last look at signals and the system call is seen after the call alone, by any Python.
        while not waits(int(words)):
            assert time.monotonic() < until, "the program does not wait for anything"
            time.sleep(0.01)
        while not list(home.rglob("*.native")):
            assert time.monotonic() < until, "C library was not loaded in the program"
            time.sleep(0.01)

    def screen(self) -> str:
        """All that is shown until the program has ended."""
        shown = b""
        while True:
            try:
                part = os.read(self.master, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            shown += part
        return shown.decode("utf-8", "replace")

    def verdict(self) -> dict:
        self.process.wait(SECONDS)
        told = subprocess.run(
            [sys.executable, "-m", "outlive", "why", "--json"],
            env=self.environment,
            stdout=subprocess.PIPE,
            timeout=SECONDS,
            check=False,
        )
        return json.loads(told.stdout)

    def close(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(SECONDS)


@pytest.fixture
def terminal(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Terminal]:
    found = Terminal(tmp_path / "home", getattr(request, "param", "reads.py"))
    yield found
    found.close()


@pytest.mark.parametrize("terminal", ["sleeps.py"], indirect=True)
def test_a_closed_terminal_is_named(terminal: Terminal) -> None:
    os.close(terminal.master)

    verdict = terminal.verdict()

    assert -signal.SIGHUP == terminal.process.returncode
    assert "terminal-hung-up" == verdict["cause"]["slug"], verdict
    assert "proven" == verdict["cause"]["confidence"], verdict


def test_ctrl_c_is_named_with_its_line_and_shown_in_colour(terminal: Terminal) -> None:
    os.write(terminal.master, b"\x03")

    screen = terminal.screen()
    verdict = terminal.verdict()

    assert -signal.SIGINT == terminal.process.returncode
    assert "interrupted" == verdict["cause"]["slug"], verdict
    assert "from the keyboard" in verdict["cause"]["says"]
    assert "reads.py" == Path(verdict["cause"]["where"]["file"]).name
    assert "interrupted" in screen
    assert "\x1b[" in screen, "colours belong on a terminal"
    os.close(terminal.master)


def test_ctrl_backslash_is_named(terminal: Terminal) -> None:
    os.write(terminal.master, b"\x1c")

    terminal.screen()
    verdict = terminal.verdict()

    assert -signal.SIGQUIT == terminal.process.returncode
    assert "interrupted" == verdict["cause"]["slug"], verdict
    os.close(terminal.master)
