"""`make demo`: a TensorFlow program is really killed by the kernel at a memory limit, and Outlive says why."""

from __future__ import annotations

import contextlib
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from limited import enter, memory_group, parent_group

HERE = Path(__file__).parent
LIMIT_MB = 700
ADDRESS_SPACE_MB = 6000
SECONDS = 110


def say(text: str) -> None:
    print(f"\n── {text}", flush=True)


def main() -> int:
    with contextlib.ExitStack() as stack:
        if parent_group() is not None:
            group = stack.enter_context(memory_group(LIMIT_MB))
            say(f"A cgroup with a memory limit of {LIMIT_MB} MB, as a container has it.")
            limit: Callable[[], None] = lambda: enter(group)  # noqa: E731  # one of two ways to limit
            expected = "memory-limit-reached"
        else:
            say(
                "No cgroup can be made here (not root), so the kernel cannot be made to kill.\n"
                f"   The next best: an address-space limit of {ADDRESS_SPACE_MB} MB (ulimit -v)."
            )
            size = ADDRESS_SPACE_MB * 1_000_000
            limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (size, size))  # noqa: E731
            expected = "allocation-refused or address-space-limit"
        home = stack.enter_context(tempfile.TemporaryDirectory(prefix="outlive-demo-"))
        environment = os.environ | {"OUTLIVE_HOME": home, "TF_CPP_MIN_LOG_LEVEL": "2"}
        say("$ outlive run thumbnails.py")
        ended = subprocess.run(
            [sys.executable, "-m", "outlive", "run", "thumbnails.py"],
            cwd=HERE,
            env=environment,
            preexec_fn=limit,
            timeout=SECONDS,
            check=False,
        )
        say(f"It ended with {ended.returncode} (a shell shows {_shell_status(ended.returncode)}).")
        say("$ outlive why --json | head")
        told = subprocess.run(
            [sys.executable, "-m", "outlive", "why", "--json"],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
            timeout=30,
            check=False,
        )
        print("\n".join(told.stdout.splitlines()[:22]))
    found = any(slug in told.stdout for slug in expected.split(" or "))
    say(
        "That is the whole idea: the cause, the line, the fix."
        if found
        else f"Expected {expected}!"
    )
    return 0 if found else 1


def _shell_status(code: int) -> int:
    return 128 - code if code < 0 else code


if __name__ == "__main__":
    sys.exit(main())
