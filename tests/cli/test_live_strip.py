"""`outlive run --live`: rows at the bottom of a real terminal; the program's output above them is as it would have been."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator

import pyte
import pytest

from conftest import SECONDS, Outlive

COLUMNS, ROWS = 80, 24

TALKS = """
import os, sys
kept = [bytearray(40_000_000)]
for number in range(40):
    print(f"step {number:02} of the program", flush=True)
print("ready", os.getpid())
print("> ", end="", flush=True)
for line in sys.stdin:
    if line.strip() == "raise":
        raise ValueError("as you wish")
    if line.strip() == "end":
        break
    print(f"heard {line.strip()}", flush=True)
"""


class Terminal:
    """A terminal with somebody who looks at it."""

    def __init__(self, outlive: Outlive, *options: str, rows: int = ROWS) -> None:
        self.leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", rows, COLUMNS, 0, 0))
        self.screen = pyte.Screen(COLUMNS, rows)
        self._stream = pyte.ByteStream(self.screen)
        self.raw = b""
        script = outlive.script("talks.py", TALKS)
        self.child = subprocess.Popen(
            [sys.executable, "-m", "outlive", "run", *options, str(script)],
            stdin=follower, stdout=follower, stderr=follower,
            env=outlive.environment | {"TERM": "xterm"},
            start_new_session=True,
        )  # fmt: skip
        os.close(follower)

    @property
    def shown(self) -> list[str]:
        return [line.rstrip() for line in self.screen.display]

    def until(self, seen: Callable[[list[str]], bool]) -> None:
        while not seen(self.shown):
            assert select.select([self.leader], [], [], SECONDS)[0], "\n".join(self.shown)
            data = os.read(self.leader, 65536)
            self.raw += data
            self._stream.feed(data)

    def type(self, text: str) -> None:
        os.write(self.leader, text.encode() + b"\n")

    def rest(self) -> int:
        """Everything until the end, and the status."""
        with contextlib.suppress(OSError):  # the other end is closed
            while select.select([self.leader], [], [], SECONDS)[0]:
                data = os.read(self.leader, 65536)
                if not data:
                    break
                self.raw += data
                self._stream.feed(data)
        return self.child.wait(SECONDS)


@pytest.fixture
def open_terminal(outlive: Outlive) -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def open_one(*options: str, **size: int) -> Terminal:
        opened.append(Terminal(outlive, *options, **size))
        return opened[-1]

    yield open_one
    for terminal in opened:
        if terminal.child.poll() is None:
            os.killpg(terminal.child.pid, signal.SIGKILL)
            terminal.child.wait()
        os.close(terminal.leader)


def is_ready(shown: list[str]) -> bool:
    return any(row.startswith("ready") for row in shown)


def drawn(shown: list[str]) -> bool:
    return any(row.startswith("── outlive") for row in shown[-5:])


def test_the_rows_stay_at_the_bottom_and_the_output_above_is_whole(
    open_terminal: Callable[..., Terminal],
) -> None:
    terminal = open_terminal("--live")
    terminal.until(lambda shown: drawn(shown) and is_ready(shown))

    told = "\n".join(terminal.shown[-5:])
    assert "talks.py" in told and "files" in told
    terminal.type("a name")
    terminal.until(lambda shown: "heard a name" in shown)
    assert "> a name" in terminal.shown, "the cursor stood where the program had left it"
    for number in range(30):
        terminal.type(f"word {number:02}")
    terminal.until(lambda shown: any("heard word 29" in row for row in shown) and drawn(shown))
    above = terminal.shown[: ROWS - 5]
    heard = [row for row in above if row.startswith("heard")]
    assert heard == sorted(heard) and len(heard) >= 6, "scrolled, in order, none overwritten"
    terminal.type("raise")
    status = terminal.rest()

    assert 1 == status
    assert not drawn(terminal.shown)
    assert any("as you wish" in row for row in terminal.shown)
    assert b"uncaught-exception" in terminal.raw
    assert terminal.screen.margins is None


def test_a_program_that_is_stopped_gives_the_terminal_back_until_it_goes_on(
    open_terminal: Callable[..., Terminal],
) -> None:
    terminal = open_terminal("--live")
    terminal.until(lambda shown: drawn(shown) and is_ready(shown))

    (program,) = (int(row.split()[1]) for row in terminal.shown if row.startswith("ready"))
    os.kill(program, signal.SIGSTOP)  # as Ctrl-Z does; the kernel ignores that where no shell waits
    terminal.until(lambda shown: not drawn(shown))
    assert terminal.screen.margins is None
    os.killpg(terminal.child.pid, signal.SIGCONT)
    terminal.until(drawn)
    terminal.type("end")

    assert 0 == terminal.rest()
    assert not drawn(terminal.shown)


def test_when_the_supervisor_is_killed_the_terminal_is_put_back(
    open_terminal: Callable[..., Terminal],
) -> None:
    terminal = open_terminal("--live")
    terminal.until(lambda shown: drawn(shown) and is_ready(shown))

    terminal.child.kill()
    terminal.until(lambda shown: not drawn(shown))

    assert terminal.screen.margins is None
    terminal.type("end")


def test_a_terminal_that_is_too_low_is_left_alone(open_terminal: Callable[..., Terminal]) -> None:
    terminal = open_terminal("--live", rows=12)
    terminal.until(is_ready)
    terminal.type("end")

    assert 0 == terminal.rest()
    assert b"\x1b[1;" not in terminal.raw


def test_without_a_terminal_it_says_so_and_runs(outlive: Outlive) -> None:
    done = outlive("run", "--live", "-c", "print('hello')")

    assert (0, "hello\n") == (done.status, done.stdout)
    assert "--live needs a terminal" in done.stderr
