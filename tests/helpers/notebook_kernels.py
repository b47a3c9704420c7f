"""Real kernels under Outlive's supervisor, and a client that speaks with them as front ends do."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

SECONDS = 60
COLOUR = re.compile(r"\x1b\[[0-9;]*m")


def require_jupyter(*modules: str) -> None:
    """Skip with a reason what this environment cannot do; CI forbids such skips (OUTLIVE_NO_SKIP)."""
    for name in ("jupyter_client", "ipykernel", *modules):
        if importlib.util.find_spec(name) is None:
            reason = f"{name} is not installed"
            if os.environ.get("OUTLIVE_NO_SKIP"):
                pytest.fail(f"skips are forbidden here: {reason}")
            pytest.skip(reason, allow_module_level=True)


@dataclass
class Outcome:
    """What a client was told about one cell."""

    reply: dict[str, Any] | None = None
    errors: list[dict[str, Any]] = field(default_factory=list)
    text: str = ""
    shown: list[dict[str, str]] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def verdict(self) -> str:
        """The error of a cell, without colours."""
        (error,) = self.errors
        return COLOUR.sub("", "\n".join(error["traceback"]))


class Notebook:
    """One kernel and one client of it."""

    def __init__(self, home: Path, **options: Any) -> None:
        from jupyter_client import KernelManager
        from jupyter_client.provisioning import KernelProvisionerFactory

        KernelProvisionerFactory.instance().default_provisioner_name = "outlive-provisioner"
        self.home = home
        traits = {name: options.pop(name) for name in ("transport", "ip") if name in options}
        self.manager = KernelManager(kernel_name="python3", **traits)
        environment = os.environ | {"OUTLIVE_HOME": str(home), "IPYTHONDIR": str(home / "ipython")}
        environment |= options.pop("variables", {})
        self.manager.start_kernel(env=environment, **options)
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=SECONDS)

    @property
    def wrapper(self) -> int:
        return int(self.manager.provisioner.pid)

    @property
    def kernel(self) -> int:
        """The kernel itself: the child of the supervisor that is a Python kernel."""
        for child in children_of(self.wrapper):
            if b"ipykernel_launcher" == Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")[2]:
                return child
        raise AssertionError("the supervisor has no kernel")

    def start(self, code: str) -> str:
        return str(self.client.execute(code))

    def until_it_says(self, word: str, request: str) -> str:
        """Wait for a line of output of the running cell."""
        until = time.monotonic() + SECONDS
        text = ""
        while word not in text:
            assert time.monotonic() < until, f"the cell said only {text!r}"
            message = self._next_of(request)
            if message is not None and message["msg_type"] == "stream":
                text += message["content"]["text"]
        return text

    def _next_of(self, request: str) -> dict[str, Any] | None:
        import queue

        with contextlib.suppress(queue.Empty):
            message: dict[str, Any] = self.client.get_iopub_msg(timeout=0.5)
            if message["parent_header"].get("msg_id") == request:
                return message
        return None

    def end_of(self, request: str, seconds: float = SECONDS) -> Outcome:
        """Everything that is told about a request, until it is idle and answered."""
        import queue

        outcome, began, idle = Outcome(), time.monotonic(), False
        while not (idle and outcome.reply) and time.monotonic() < began + seconds:
            message = None if idle else self._next_of(request)
            if message is not None:
                content = message["content"]
                if message["msg_type"] == "error":
                    outcome.errors.append(content)
                elif message["msg_type"] == "stream":
                    outcome.text += content["text"]
                elif message["msg_type"] == "display_data":
                    outcome.shown.append(content["data"])
                idle = idle or content.get("execution_state") == "idle"
            with contextlib.suppress(queue.Empty):
                reply = self.client.get_shell_msg(timeout=0.05)
                if reply["parent_header"].get("msg_id") == request:
                    outcome.reply = reply["content"]
        outcome.seconds = time.monotonic() - began
        return outcome

    def run(self, code: str) -> Outcome:
        return self.end_of(self.start(code))

    def verdicts(self) -> list[dict[str, Any]]:
        """What was found out, oldest first; waits for supervisors that are still at it."""
        return verdicts_in(self.home)

    def close(self) -> None:
        self.client.stop_channels()
        with contextlib.suppress(Exception):
            self.manager.shutdown_kernel(now=True)
        self.manager.cleanup_resources()


def verdicts_in(home: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted((home / "runs").glob("*/verdict.json"))]


def children_of(pid: int) -> list[int]:
    try:
        return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until(true: Callable[[], Any], what: str, seconds: float = SECONDS) -> None:
    until = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < until, f"it did not come to pass: {what}"
        time.sleep(0.02)


@contextlib.contextmanager
def sent_from_outside(name: str, pid: int) -> Iterator[int]:
    """A signal by another process, whose number is yielded; it stays until it has been looked at."""
    words = [f"-{name.removeprefix('SIG')}", str(pid)]
    script = 'kill "$@"; read -r _'
    sender = subprocess.Popen(["bash", "-c", script, "sender", *words], stdin=subprocess.PIPE)
    try:
        yield sender.pid
    finally:
        sender.communicate(timeout=20)


class RawClient:
    """A launcher and client as VS Code is: it runs the kernel's command itself, and its socket names itself at random."""

    def __init__(self, home: Path, folder: Path, listens: bool = True) -> None:
        import zmq
        from jupyter_client import write_connection_file
        from jupyter_client.session import Session

        self.listens, self.told = listens, []
        self.path, self.connection = write_connection_file(str(folder / "kernel-raw.json"))
        self.session = Session(key=self.connection["key"].encode(), username="raw")
        command = [sys.executable, "-m", "ipykernel_launcher", f"--f={self.path}"]
        wrapper = [sys.executable, "-m", "outlive.jupyter.ipykernel_launcher", "--"]
        self.process = subprocess.Popen(
            [*wrapper, *command], env=os.environ | {"OUTLIVE_HOME": str(home)}
        )
        context = zmq.Context.instance()
        self.shell, self.iopub = context.socket(zmq.DEALER), context.socket(zmq.SUB)
        self.shell.setsockopt(zmq.ROUTING_ID, uuid.uuid4().hex.encode())
        self.iopub.setsockopt(zmq.SUBSCRIBE, b"")
        for socket, name in ((self.shell, "shell"), (self.iopub, "iopub")):
            socket.linger = 0
            socket.connect(f"tcp://{self.connection['ip']}:{self.connection[f'{name}_port']}")
        self._wait_until_it_answers()

    def _wait_until_it_answers(self) -> None:
        until = time.monotonic() + SECONDS
        while time.monotonic() < until:
            request = self.send("kernel_info_request", {})
            if self._reply_to(request, 2) is not None:
                return
        raise AssertionError("the kernel did not start")

    def send(self, kind: str, content: dict[str, Any], **metadata: str) -> str:
        message = self.session.send(self.shell, kind, content, metadata=metadata)
        return str(message["header"]["msg_id"])

    def _reply_to(self, request: str, seconds: float) -> dict[str, Any] | None:
        """The reply, and with it (for one who listens) everything that was published about the request."""
        until, found, idle = time.monotonic() + seconds, None, not self.listens
        while time.monotonic() < until and not (found and idle):
            while self.listens and self.iopub.poll(0):
                _, message = self.session.recv(self.iopub)
                if message["parent_header"].get("msg_id") == request:
                    self.told.append(message)
                    idle = idle or message["content"].get("execution_state") == "idle"
            if self.shell.poll(50):
                _, reply = self.session.recv(self.shell)
                if reply["parent_header"].get("msg_id") == request:
                    found = dict(reply)
        return found

    def run(self, code: str, **metadata: str) -> dict[str, Any] | None:
        request = self.send(
            "execute_request",
            {
                "code": code,
                "silent": False,
                "store_history": True,
                "user_expressions": {},
                "allow_stdin": False,
            },
            **metadata,
        )
        return self._reply_to(request, SECONDS)

    def close(self) -> None:
        for socket in (self.shell, self.iopub):
            socket.close()
        family = [self.process.pid, *children_of(self.process.pid)]
        for pid in family:  # a kernel that was not told to follow its launcher would live on
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()


@contextlib.contextmanager
def notebook(home: Path, **options: Any) -> Iterator[Notebook]:
    opened = Notebook(home, **options)
    family = [opened.wrapper, *children_of(opened.wrapper)]
    try:
        yield opened
    finally:
        opened.close()
        for pid in family:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
