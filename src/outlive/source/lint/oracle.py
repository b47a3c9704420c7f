"""TensorFlow's answers: those that it gave before, kept on the disk, and a child that gives more."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from typing import Any

from outlive.recorder import bounded_command
from outlive.recorder.other_pythons import python_with
from outlive.recorder.store.run_folders import home, make_private_folder
from outlive.source.dry_run import allowed
from outlive.source.dry_run.questions import Step

#: TensorFlow's import takes 4 to 7 s where nothing else runs.
SECONDS_TO_START = 120.0
#: A question takes 1 to 5 ms, a large model of Keras' own 1 s.
SECONDS_FOR_ANSWER = 20.0
#: All questions of one run of lint.
SECONDS_IN_ALL = 120.0
SECONDS_FOR_VERSION = 10.0

#: Answers are some 100 bytes each; with more than this it is begun anew.
LARGEST_CACHE_BYTES = 20_000_000

#: Of the steps and of what is said about them: another one begins another file.
FORMAT = "1"

ANSWER = os.path.join(os.path.dirname(__file__), "answer.py")

VERSION_OF = """
import importlib.metadata as m, json
def v(*names):
    for name in names:
        try: return m.version(name)
        except m.PackageNotFoundError: pass
    return ""
print(json.dumps([v("tensorflow","tensorflow-cpu","tensorflow-macos","tf-nightly","tf-nightly-cpu"), v("keras"), v("numpy")]))
"""


class Answers:
    """Who answers the questions of one process."""

    def __init__(self, python: str) -> None:
        self.may_start = False  #: whether a child may be started for what was not answered before
        self._asked_for = python
        self._gone = ""
        self._child: _Child | None = None
        self._left = SECONDS_IN_ALL

    @functools.cached_property
    def _who(self) -> tuple[str, tuple[str, str, str]]:
        """The Python that answers, and its versions of TensorFlow, Keras and NumPy."""
        if self._asked_for:
            return self._asked_for, _versions_in(self._asked_for)
        own = _versions_here()
        if own[0]:
            return sys.executable, own
        other = python_with("tensorflow", sys.prefix, os.getcwd(), os.environ)
        return (other, _versions_in(other)) if other else (sys.executable, own)

    @property
    def version(self) -> str:
        """The version of the TensorFlow that answers; nothing when there is none."""
        return self._who[1][0]

    @property
    def why(self) -> str:
        """Why nobody answers."""
        return self._gone if self.version else f"{self._who[0]} has no TensorFlow"

    @property
    def _file(self) -> str:
        return os.path.join(
            home(), "answers", "-".join([FORMAT, *(it or "none" for it in self._who[1])]) + ".jsonl"
        )

    @functools.cached_property
    def _known(self) -> dict[str, Any]:
        known: dict[str, Any] = {}
        with contextlib.suppress(OSError):
            if os.path.getsize(self._file) > LARGEST_CACHE_BYTES:
                os.unlink(self._file)
            with open(self._file, encoding="utf-8") as file:
                for line in file:
                    with contextlib.suppress(
                        ValueError, TypeError
                    ):  # a line that was not written whole
                        key, answer = json.loads(line)
                        known[key] = answer
        return known

    def begin(self) -> None:
        """Let the child forget the file before."""
        if self._child is not None:
            self._child.begin()

    def answer(self, key: str, steps: Mapping[str, Step]) -> Mapping[str, Any] | None:
        """What was answered before, or what the child says; None when nobody can be asked."""
        if not self.version:
            return None
        found = self._known.get(key)
        if found is None and self.may_start and not self._gone:
            found = self._from_child(key, steps)
        return found if isinstance(found, dict) else None

    def _from_child(self, key: str, steps: Mapping[str, Step]) -> Any:
        if self._left <= 0:
            self._gone = f"the questions took longer than {SECONDS_IN_ALL:.0f} s"
            return None
        if self._child is None:
            try:
                self._child = _Child(self._who[0])
            except _Gone as gone:
                self._gone = str(gone)
                return None
        began = time.monotonic()
        try:
            found = self._child.ask(key, steps)
        except _Gone as gone:
            self._gone = str(gone)
            return None
        self._left -= time.monotonic() - began
        self._known[key] = found
        self._keep(key, found)
        return found

    def _keep(self, key: str, found: Any) -> None:
        with contextlib.suppress(
            OSError
        ):  # a disk that is full, or nobody's to write: it is asked again
            make_private_folder(os.path.dirname(self._file))
            with open(self._file, "a", encoding="utf-8") as file:
                file.write(json.dumps([key, found]) + "\n")

    def close(self) -> None:
        """End the child."""
        if self._child is not None:
            self._child.end()
            self._child = None


class _Gone(Exception):
    """There is no child any more."""


class _Child:
    """TensorFlow in a process of its own. It ends when its stdin does, and so with us."""

    def __init__(self, python: str) -> None:
        variables = {
            **os.environ,
            "TF_CPP_MIN_LOG_LEVEL": "3",
            "CUDA_VISIBLE_DEVICES": "-1",
            "KERAS_BACKEND": "tensorflow",
        }
        for name in ("PYTHONSTARTUP", "PYTHONINSPECT"):
            variables.pop(name, None)
        self._folder = tempfile.TemporaryDirectory(prefix="outlive-lint-")
        self._rest = b""
        self._sent: set[str] = set()
        try:
            self._process = subprocess.Popen(
                [python, ANSWER, allowed.__file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                env=variables, cwd=self._folder.name, start_new_session=True,
            )  # fmt: skip
        except OSError as error:
            self._folder.cleanup()
            raise _Gone(f"{python} cannot be started: {error.strerror}") from error
        told = self._line(SECONDS_TO_START)
        if "ready" not in told:
            self.end()
            raise _Gone(f"TensorFlow cannot be imported: {told.get('failed', 'its process ended')}")

    def begin(self) -> None:
        """Begin another file. A child that is gone is noticed by the next question."""
        if self._sent:
            self._sent.clear()
            assert self._process.stdin is not None
            with contextlib.suppress(OSError):
                self._process.stdin.write(b"{}\n")

    def ask(self, key: str, steps: Mapping[str, Step]) -> Mapping[str, Any]:
        """What TensorFlow says."""
        new = {name: steps[name] for name in _needed(key, steps, self._sent)}
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps({"key": key, "steps": new}).encode() + b"\n")
            self._process.stdin.flush()
        except OSError as error:
            self.end()
            raise _Gone("TensorFlow's process ended") from error
        self._sent |= new.keys()
        return self._line(SECONDS_FOR_ANSWER)

    def _line(self, seconds: float) -> Mapping[str, Any]:
        assert self._process.stdout is not None
        until = time.monotonic() + seconds
        out = self._process.stdout.fileno()
        while b"\n" not in self._rest:
            left = until - time.monotonic()
            ready = select.select([out], [], [], left)[0] if left > 0 else []
            data = os.read(out, 1 << 16) if ready else b""
            if not data:
                self.end()
                raise _Gone(
                    "TensorFlow's process ended"
                    if ready
                    else f"TensorFlow did not answer within {seconds:.0f} s"
                )
            self._rest += data
        line, _, self._rest = self._rest.partition(b"\n")
        told = json.loads(line)
        return told if isinstance(told, dict) else {}

    def end(self) -> None:
        """End the process, whatever it does."""
        bounded_command.end(self._process)
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                stream.close() if stream is not None else None
        self._folder.cleanup()


def _needed(key: str, steps: Mapping[str, Step], sent: set[str]) -> set[str]:
    """The steps that a question rests on, without those that were sent before."""
    found: set[str] = set()
    waiting = [key]
    while waiting:
        here = waiting.pop()
        if here in found or here in sent or here not in steps:
            continue
        found.add(here)
        waiting += _references(steps[here])
    return found


def _references(sent: Any) -> list[str]:
    if isinstance(sent, Mapping):
        if isinstance(sent.get("ref"), str):
            return [sent["ref"]]
        return [key for inner in sent.values() for key in _references(inner)]
    return [key for inner in sent for key in _references(inner)] if isinstance(sent, list) else []


@functools.lru_cache(maxsize=4)
def answers_of(python: str) -> Answers:
    """Who answers for a Python; for none, the one that runs us, or the user's that has TensorFlow."""
    return Answers(python)


def _versions_here() -> tuple[str, str, str]:
    from importlib import metadata

    def version(*names: str) -> str:
        for name in names:
            with contextlib.suppress(metadata.PackageNotFoundError):
                return metadata.version(name)
        return ""

    flow = version(
        "tensorflow", "tensorflow-cpu", "tensorflow-macos", "tf-nightly", "tf-nightly-cpu"
    )
    return flow, version("keras"), version("numpy")


def _versions_in(python: str) -> tuple[str, str, str]:
    with contextlib.suppress(OSError, ValueError, TypeError):
        flow, keras, numpy = json.loads(
            bounded_command.ask([python, "-c", VERSION_OF], SECONDS_FOR_VERSION).out
        )
        return str(flow), str(keras), str(numpy)
    return "", "", ""
