"""The command line out of a process that has loaded it already: a call is a fork, and costs a tenth of a fresh Python.

Run as a program it is that process: it loads the commands, and for each request forks a child that becomes what `python -m outlive …` would be: its streams,
its folder, its environment. `outlive run` is never asked of it: how a run starts is what many tests are about.
"""

from __future__ import annotations

import array
import atexit
import contextlib
import importlib
import io
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

#: Commands that look at what is there and end; whatever starts programs, or depends on how it was started itself, is started for real.
COMMANDS = frozenset({"why", "runs", "compare", "explain", "lint", "scan", "completion"})

LOADED = (
    "outlive.__main__", "outlive.cli.command_line", "outlive.cli.why", "outlive.cli.runs", "outlive.cli.compare", "outlive.cli.explain",
    "outlive.cli.lint", "outlive.cli.scan", "outlive.coroner.judge", "outlive.report.write_page", "outlive.report.text",
    "outlive.report.export", "outlive.source.lint.command", "outlive.data.scan.command",
)  # fmt: skip

#: What fits into a pipe before anybody reads it.
IN_A_PIPE = 60_000
LARGEST_REQUEST = 1 << 20


@dataclass(frozen=True)
class Ended:
    status: int
    stdout: bytes
    stderr: bytes


class WarmCommandLine:
    """The client: one process for all calls of a test run, one call at a time."""

    def __init__(self) -> None:
        self._socket: socket.socket | None = None
        self._busy = threading.Lock()

    def can(self, words: Sequence[str], variables: Mapping[str, str]) -> bool:
        """Whether a call is the same from here: Python itself must not be told anything."""
        told = [name for name in variables if name.startswith("PYTHON")]
        looks = bool(words) and (words[0] in COMMANDS or "--help" in words[1:2])
        return looks and not told

    def __call__(
        self, words: Sequence[str], cwd: Path, env: Mapping[str, str], stdin: bytes, seconds: float
    ) -> Ended:
        with self._busy, contextlib.ExitStack() as stack:
            streams = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(2)]
            given = stack.enter_context(_given(stdin))
            server = self._socket or self._start()
            request = {"words": list(words), "cwd": str(cwd), "env": dict(env)}
            handles = array.array("i", [given, *(stream.fileno() for stream in streams)])
            server.sendmsg(
                [json.dumps(request).encode("utf-8", "surrogateescape")],
                [(socket.SOL_SOCKET, socket.SCM_RIGHTS, handles)],
            )
            pid = int(server.recv(64))
            server.settimeout(seconds)
            try:
                status = int(server.recv(64))
            except TimeoutError:
                os.kill(pid, signal.SIGKILL)
                server.settimeout(None)
                server.recv(64)
                raise subprocess.TimeoutExpired(list(words), seconds) from None
            finally:
                server.settimeout(None)
            return Ended(status, *(_content(stream) for stream in streams))

    def _start(self) -> socket.socket:
        mine, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        for end in (mine, theirs):
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, LARGEST_REQUEST)
        process = subprocess.Popen(
            [sys.executable, __file__, str(theirs.fileno())],
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
        )
        theirs.close()
        atexit.register(process.wait)
        atexit.register(mine.close)  # called first: the process ends with its client
        self._socket = mine
        return mine


@contextlib.contextmanager
def _given(stdin: bytes) -> Any:
    """What the command reads: a pipe, as from a shell; a file, where a pipe would fill up."""
    if len(stdin) > IN_A_PIPE:
        with tempfile.TemporaryFile() as file:
            file.write(stdin)
            file.seek(0)
            yield file.fileno()
        return
    reader, writer = os.pipe()
    try:
        os.write(writer, stdin)
        os.close(writer)
        yield reader
    finally:
        os.close(reader)


def _content(stream: Any) -> bytes:
    stream.seek(0)
    return bytes(stream.read())


def serve(connection: socket.socket) -> None:
    """Load, then fork a child for each request, until the client is gone."""
    for name in LOADED:
        importlib.import_module(name)
    size = array.array("i", [0, 0, 0])
    while True:
        text, told, _, _ = connection.recvmsg(
            LARGEST_REQUEST, socket.CMSG_SPACE(len(size.tobytes()))
        )
        if not text:
            return
        handles = array.array("i")
        handles.frombytes(told[0][2])
        pid = os.fork()
        if pid == 0:
            connection.close()
            become(json.loads(text.decode("utf-8", "surrogateescape")), list(handles))
        for handle in handles:
            os.close(handle)
        connection.send(str(pid).encode())
        _, how = os.waitpid(pid, 0)
        connection.send(str(os.waitstatus_to_exitcode(how)).encode())


def become(request: Mapping[str, Any], handles: Sequence[int]) -> None:
    """Be the command that was asked for, from its streams to its end."""
    status = 1
    try:
        for number, handle in enumerate(handles):
            os.dup2(handle, number)
            os.close(handle)
        os.chdir(request["cwd"])
        os.environ.clear()
        os.environ.update(request["env"])
        time.tzset()
        reader = io.BufferedReader(io.FileIO(0, "r", closefd=False))
        sys.stdin = io.TextIOWrapper(reader, encoding="utf-8", errors="strict")
        sys.stdout = sys.__stdout__ = _writer(1, "strict")
        sys.stderr = sys.__stderr__ = _writer(2, "backslashreplace")
        main = importlib.import_module("outlive.__main__")
        sys.argv = [str(main.__file__), *request["words"]]
        sys.path[0] = request["cwd"]
        try:
            status = main.main()
        except SystemExit as left:
            status = left.code if isinstance(left.code, int) else int(left.code is not None)
        threading._shutdown()  # type: ignore[attr-defined]  # as Python does at its end
        atexit._run_exitfuncs()
    except BaseException:
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def _writer(number: int, errors: str) -> io.TextIOWrapper:
    raw = io.BufferedWriter(io.FileIO(number, "w", closefd=False))
    return io.TextIOWrapper(raw, encoding="utf-8", errors=errors, line_buffering=number == 2)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
