"""A command that is given a text when a run is over, with a time limit.

The supervisor waits for it with its signals blocked, as it has them for the program's sake. So it looks for them while it waits: somebody
who presses Ctrl-C, or a scheduler that wants the slot back, need not wait until the time is up.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

from outlive.errors import OutliveError
from outlive.recorder.bounded_command import end, start

#: How long it takes at most until somebody's impatience is noticed.
LOOK_SECONDS = 0.2
IMPATIENCE = frozenset({signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT})


class HookFailed(OutliveError):
    """The child could not be started, took too long, or ended badly."""


def run_hook(
    command: Sequence[str], told: bytes, variables: Mapping[str, str], seconds: float
) -> None:
    """Run it with this text on its stdin; what it prints goes to our stderr. An error says what went wrong."""
    try:
        process = start(
            command,
            stdin=subprocess.PIPE,
            stdout=2 if sys.stderr is not None else subprocess.DEVNULL,
            stderr=None,
            variables=variables,
        )
    except OSError as error:
        raise HookFailed(f"could not be started: {error.strerror}") from error
    try:
        status = _wait(process, told, seconds)
    finally:
        if process.returncode is None:
            end(process)
    if status is None:
        raise HookFailed(f"took more than {seconds:.0f} s, or Outlive had to exit, and was killed")
    if status != 0:
        raise HookFailed(f"ended with status {status}")


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
