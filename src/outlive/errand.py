"""A child that is sent off with a text when a run is over: bounded in time, and no business of the program's.

The supervisor waits for it with its signals blocked, as it has them for the program's sake. So the child gets them back, and somebody who
presses Ctrl-C, or a scheduler that wants the slot back, need not wait until the time is up.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

from outlive.errors import OutliveError

#: How long it takes at most until somebody's impatience is noticed.
LOOK_SECONDS = 0.2
IMPATIENCE = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT})


class ErrandFailed(OutliveError):
    """The child could not be started, took too long, or ended badly."""


def run_errand(
    command: Sequence[str], told: bytes, variables: Mapping[str, str], seconds: float
) -> None:
    """Run it with this text on its stdin; what it prints goes to our stderr. An error says what went wrong."""
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=2 if sys.stderr is not None else subprocess.DEVNULL,
            env=variables,
            start_new_session=True,  # so that all of it can be ended
            preexec_fn=_with_all_signals,
        )
    except OSError as error:
        raise ErrandFailed(f"could not be started: {error.strerror}") from error
    try:
        status = _wait(process, told, seconds)
    finally:
        if process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    if status is None:
        raise ErrandFailed(f"took more than {seconds:.0f} s, or was not waited for, and was ended")
    if status != 0:
        raise ErrandFailed(f"ended with status {status}")


def _wait(process: subprocess.Popen[bytes], told: bytes, seconds: float) -> int | None:
    until = time.monotonic() + seconds
    left: bytes | None = told
    while True:
        try:
            process.communicate(left, timeout=LOOK_SECONDS)
            return process.returncode
        except subprocess.TimeoutExpired:
            left = None  # it goes on with what it was given
            if time.monotonic() >= until or signal.sigpending() & IMPATIENCE:
                return None


def _with_all_signals() -> None:
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
