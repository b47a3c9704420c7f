"""Run a program bare and under `outlive run`, and hand back both endings to be compared."""

from __future__ import annotations

import fcntl
import os
import pty
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import sysconfig
import termios
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

PROGRAMS = Path(__file__).parent / "programs"

#: No child may live longer than this; nothing is asserted about how long anything takes.
DEADLINE_SECONDS = 60.0

#: Variables of the test run that must not colour what the programs see.
LEFT_OUT = ("PYTHON", "OUTLIVE", "PYTEST", "COV", "TF_", "XDG_")


class Ending(NamedTuple):
    """How a child ended, and all that it said."""

    status: int
    stdout: bytes
    stderr: bytes


class Runner:
    """Starts children in a session of their own, and sees to it that none is left behind."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "outlive-home"
        self.started: list[subprocess.Popen[bytes]] = []
        self._folder = folder

    def command(self, *command: str, switches: Sequence[str] = ()) -> list[str]:
        """The command as it is typed with Outlive before it."""
        return [*outlive(), "run", *switches, "--", *command]

    def environment(self, **changes: str | None) -> dict[str, str]:
        """A plain environment; None takes a variable away."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith(LEFT_OUT)}
        kept["OUTLIVE_HOME"] = str(self.home)
        kept["TMPDIR"] = str(self._folder)
        wanted = {**kept, **changes}
        return {name: value for name, value in wanted.items() if value is not None}

    def start(self, command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
        """Start a child; what is not said otherwise is a pipe."""
        for stream in ("stdin", "stdout", "stderr"):
            options.setdefault(stream, subprocess.PIPE)
        options.setdefault("env", self.environment())
        options.setdefault("start_new_session", True)
        child = subprocess.Popen(list(command), **options)
        self.started.append(child)
        return child

    def finish(self, child: subprocess.Popen[bytes], data: bytes = b"") -> Ending:
        """Give a child its input, read all that it says, wait for its end."""
        stdout, stderr = child.communicate(data, timeout=DEADLINE_SECONDS)
        return Ending(child.returncode, stdout or b"", stderr or b"")

    def bare(self, *command: str, data: bytes = b"", **options: Any) -> Ending:
        """Run a command as it is."""
        return self.finish(self.start(command, **options), data)

    def watched(
        self, *command: str, data: bytes = b"", switches: Sequence[str] = (), **options: Any
    ) -> Ending:
        """Run a command under `outlive run`."""
        return self.finish(self.start(self.command(*command, switches=switches), **options), data)

    def why(self, *arguments: str) -> Ending:
        """Ask `outlive why` about the last run."""
        return self.bare(*outlive(), "why", *arguments)

    def run_folders(self) -> list[Path]:
        """The folders of all runs, oldest first."""
        return sorted((self.home / "runs").iterdir())

    def end_all(self) -> None:
        """End what a failed test left running: each by its own number, with its own session."""
        for child in self.started:
            if child.poll() is None:
                os.killpg(child.pid, signal.SIGKILL)
            child.wait(DEADLINE_SECONDS)
            for stream in (child.stdin, child.stdout, child.stderr):
                if stream is not None:
                    stream.close()


def outlive() -> list[str]:
    """The command that users type, or its module where the script is not installed."""
    script = Path(sysconfig.get_path("scripts")) / "outlive"
    return [str(script)] if script.exists() else [sys.executable, "-m", "outlive"]


class Terminal:
    """A pseudo-terminal with a child as the leader of its session."""

    def __init__(
        self,
        runner: Runner,
        command: Sequence[str],
        *,
        cwd: Path | None = None,
        env: dict[str, str] | None = None,
        **changes: str | None,
    ) -> None:
        self.master, self.slave = pty.openpty()
        self.resize(33, 101)
        self.seen = b""
        leader = [sys.executable, "-I", str(PROGRAMS / "leader.py"), *command]
        self.child = runner.start(
            leader,
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            start_new_session=False,
            cwd=cwd,
            env=env or runner.environment(TERM="dumb", **changes),
        )

    def resize(self, rows: int, columns: int) -> None:
        """As a window manager does it."""
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self.master, text.encode())

    def wait_for(self, text: str, times: int = 1) -> str:
        """Read until a text was seen so many times; gives all that was seen up to there."""
        until = time.monotonic() + DEADLINE_SECONDS
        wanted = text.encode()
        while self.seen.count(wanted) < times:
            ready, _, _ = select.select([self.master], [], [], max(0, until - time.monotonic()))
            try:
                more = os.read(self.master, 65536) if ready else b""
            except OSError:  # the last one has closed the terminal
                more = b""
            if not more:
                raise AssertionError(f"{text!r} never came; seen: {self.seen.decode()!r}")
            self.seen += more
        return self.seen.decode()

    def attributes(self) -> Any:
        """The settings of the terminal."""
        return termios.tcgetattr(self.slave)

    def attributes_at_end(self) -> Any:
        """The settings that the child leaves, while somebody goes on reading; None when it does not end."""
        until = time.monotonic() + DEADLINE_SECONDS
        while self.child.poll() is None:
            if time.monotonic() > until:
                return None
            if select.select([self.master], [], [], 0.02)[0]:
                self.seen += os.read(self.master, 65536)
        return self.attributes()

    def finish(self) -> int:
        """Wait for the end of the child, while somebody goes on reading."""
        os.close(self.slave)
        self.slave = -1
        while True:
            try:
                more = os.read(self.master, 65536)
            except OSError:
                break
            if not more:
                break
            self.seen += more
        return self.child.wait(DEADLINE_SECONDS)

    def close(self) -> None:
        """Hang up."""
        for handle in (self.master, self.slave):
            if handle >= 0:
                os.close(handle)
        self.master = self.slave = -1


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Runner]:
    before = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, before[1]))
    runner = Runner(tmp_path)
    yield runner
    runner.end_all()
    resource.setrlimit(resource.RLIMIT_CORE, before)


@pytest.fixture
def terminal(runner: Runner) -> Iterator[Any]:
    opened: list[Terminal] = []

    def open_terminal(*command: str, **changes: Any) -> Terminal:
        opened.append(Terminal(runner, command, **changes))
        return opened[-1]

    yield open_terminal
    for one in opened:
        if one.child.poll() is None:
            one.child.kill()
        one.close()


@pytest.fixture
def program() -> Any:
    """The path of a program of this suite."""
    return lambda name: str(PROGRAMS / name)


@pytest.fixture
def in_own_mounts() -> list[str]:
    """A prefix that gives a command mounts of its own, where that is allowed."""
    tool = shutil.which("unshare")
    if tool is None:
        pytest.skip("there is no unshare here")
    prefix = [tool, "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"]), "--"]
    if subprocess.run([*prefix, "true"], check=False, capture_output=True).returncode != 0:
        pytest.skip("mounts of one's own are not allowed here")
    return prefix


@pytest.fixture
def as_root() -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can do this")


def other_python(version: str) -> str:
    """Another Python of this machine, if it is there."""
    found = sorted(Path("~/.pyenv/versions").expanduser().glob(f"{version}.*/bin/python"))
    plain = shutil.which(f"python{version}")
    if not found and plain is None:
        pytest.skip(f"there is no Python {version} here")
    return str(found[-1]) if found else str(plain)


@pytest.fixture
def python_of() -> Any:
    return other_python
