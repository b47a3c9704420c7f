"""Ask the examined Python in a child, which may crash, hang or print what it likes. Bounded, and it leaves nothing behind.

Unlike `ask` of a command, several can run at once, and what they print goes to memory that cannot fill up.
"""

from __future__ import annotations

import json
import os
import resource
import secrets
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from outlive.recorder.bounded_command import end, start

SCRIPTS = Path(__file__).parent / "asked"

#: Of what a child writes; the end is what matters.
MOST_BYTES = 1 << 20

#: One that prints without end must not fill the memory, which is where its words are kept.
MOST_WRITTEN = 64 << 20


class Question:
    """A script that runs in the examined Python; several can run at once."""

    def __init__(
        self, python: str, script: str, *words: str, variables: Mapping[str, str], seconds: float
    ) -> None:
        self._mark = f"outlive {secrets.token_hex(8)} "
        self._began = time.monotonic()
        self._deadline = self._began + seconds
        self._out, self._errors = os.memfd_create("out"), os.memfd_create("errors")
        text = (SCRIPTS / f"{script}.py").read_text(encoding="utf-8")
        self._child: subprocess.Popen[bytes] | None = None
        self.why_not = ""  #: why it could not be started
        try:
            self._child = start(
                [python, "-c", text, self._mark, *words],
                stdout=self._out,
                stderr=self._errors,
                variables=dict(variables),
            )
            _first_to_go(self._child.pid)
            resource.prlimit(self._child.pid, resource.RLIMIT_CORE, (0, 0))
            resource.prlimit(self._child.pid, resource.RLIMIT_FSIZE, (MOST_WRITTEN, MOST_WRITTEN))
        except ProcessLookupError:
            pass  # it has ended already
        except OSError as error:
            self.why_not = f"{python}: {os.strerror(error.errno or 0)}"

    def answer(self) -> Answer:
        """Wait, at most until its time is over."""
        child, timed_out = self._child, False
        try:
            if child is not None:
                try:
                    child.wait(max(0.0, self._deadline - time.monotonic()))
                except subprocess.TimeoutExpired:
                    timed_out = True
            return Answer(
                child.returncode if child and not timed_out else None,
                time.monotonic() - self._began,
                timed_out,
                self._told(),
                _text(self._errors),
            )
        finally:
            self.close()

    def _told(self) -> dict[str, Any] | None:
        for line in reversed(_text(self._out).splitlines()):
            if line.startswith(self._mark):
                try:
                    found = json.loads(line[len(self._mark) :])
                except ValueError:
                    return None
                return found if isinstance(found, dict) else None
        return None

    def close(self) -> None:
        """End it and what it started, and drop what it wrote."""
        child, self._child = self._child, None
        if child is not None:
            end(child)
        for handle in (self._out, self._errors):
            if handle >= 0:
                os.close(handle)
        self._out = self._errors = -1


class Answer:
    """What came of a question."""

    def __init__(
        self,
        status: int | None,
        seconds: float,
        timed_out: bool,
        told: dict[str, Any] | None,
        errors: str,
    ) -> None:
        self.status = status  #: as ``Popen.returncode``; ``None`` when it did not end
        self.seconds = seconds
        self.timed_out = timed_out
        self.told = told  #: the object that it printed, if it came so far
        self.errors = errors  #: the end of its stderr


def close_all(questions: Sequence[Question]) -> None:
    """End every child that is still there."""
    for question in questions:
        question.close()


def _first_to_go(pid: int) -> None:
    """Let Linux kill the trial first where memory is short, and nobody else's program."""
    try:
        with open(f"/proc/{pid}/oom_score_adj", "w", encoding="ascii") as file:
            file.write("1000")
    except OSError:
        pass  # it has ended already, or this kernel does not have it


def _text(handle: int) -> str:
    size = os.fstat(handle).st_size
    return os.pread(handle, MOST_BYTES, max(0, size - MOST_BYTES)).decode("utf-8", "replace")
