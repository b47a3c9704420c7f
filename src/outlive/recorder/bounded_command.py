"""A command that may hang or crash: started apart, and ended with everything that it started.

Three things differ from this and stay apart: a fork of ourselves that hands over an object (`killable_child`), a zygote and its workers,
which live long and are talked to (`jobs/zygote_client`), and the user's own script, which has its terminal and all the time it wants
(`keep/bound/plans`).
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from typing import IO

from outlive.model.quick_dataclass import dataclass

Stream = IO[bytes] | int | None


@dataclass(frozen=True, slots=True)
class Said:
    """The exit status and the output of a command that has ended."""

    status: int | None  #: as ``Popen.returncode``; None when its time was over
    out: str = ""
    errors: str = ""


def start(
    command: Sequence[str],
    *,
    stdin: Stream = subprocess.DEVNULL,
    stdout: Stream = subprocess.PIPE,
    stderr: Stream = subprocess.PIPE,
    variables: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """Start a command in a session of its own, with no signal blocked: the supervisor blocks them for the program's sake. ``OSError``."""
    return subprocess.Popen(
        command,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        env=variables,
        start_new_session=True,
        preexec_fn=_with_all_signals if signal.pthread_sigmask(signal.SIG_BLOCK, ()) else None,
    )


def end(process: subprocess.Popen[bytes]) -> None:
    """End a command and everything that it started, at once."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def ask(command: Sequence[str], seconds: float) -> Said:
    """Run a command with a time limit and return its output. ``OSError`` when it cannot be started."""
    with start(command) as process:
        try:
            out, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            return Said(None)
        finally:
            if process.returncode is None:
                end(process)
    return Said(
        process.returncode, out.decode("utf-8", "replace"), errors.decode("utf-8", "replace")
    )


def _with_all_signals() -> None:
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
