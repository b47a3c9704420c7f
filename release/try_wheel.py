"""Install a wheel in a fresh virtual environment without a C compiler, and let two programs die there.

    python release/try_wheel.py dist/outlive-…-x86_64.whl [python3.10 python3.11 …]

A program that another process ends must name that process, and a crash in native code its line: both need
the C library of the wheel (the wheel for any machine has none; only the line is asked of it). Prints the seconds from `python -m venv` to the first verdict.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SECONDS = 120
SENDER = "import os, sys, time; os.kill(int(sys.argv[1]), 15); time.sleep(2)  # the-sender"
WAITS = """import os, time
print(os.getpid(), flush=True)
time.sleep(60)
"""
CRASHES = """import ctypes


def read_nothing():
    return ctypes.string_at(0)


read_nothing()
"""
CRASHING_LINE = 5


class NotAsPromised(Exception):
    """The installed wheel does not do what a wheel must do; the message says what."""


def main() -> None:
    """Try the wheel with each Python."""
    wheel = Path(sys.argv[1]).resolve()
    for python in sys.argv[2:] or [sys.executable]:
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            begun = time.monotonic()
            installed = install(python, wheel, home / "environment")
            crash_names_its_line(installed, home)
            first = time.monotonic() - begun
            if not wheel.name.endswith("-any.whl"):  # without the C library nobody knows who it was
                signal_names_its_sender(installed, home)
            print(f"{python}: good; {first:.1f} s from `python -m venv` to the first verdict")


def install(python: str, wheel: Path, environment: Path) -> Path:
    """Make the environment and install the wheel with what it depends on; gives the command `outlive`."""
    subprocess.run([python, "-m", "venv", str(environment)], check=True)
    pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet", str(wheel)]
    subprocess.run(pip, env=without_compiler(environment), check=True)
    return environment / "bin" / "outlive"


def without_compiler(environment: Path) -> dict[str, str]:
    """Give the variables of a shell in which only the environment's own commands are found."""
    kept = {name: value for name, value in os.environ.items() if name not in ("CC", "PYTHONPATH")}
    return kept | {"PATH": str(environment / "bin")}


def crash_names_its_line(outlive: Path, folder: Path) -> None:
    """Let a program crash in native code."""
    program = folder / "crashes.py"
    program.write_text(CRASHES)
    status = subprocess.run(
        [outlive, "run", "--quiet", program], env=_variables(outlive, folder), timeout=SECONDS
    ).returncode
    verdict = _verdict(outlive, folder)
    where = verdict["cause"] and verdict["cause"]["where"]
    seen = (status, where and where["line"])
    if seen != (-signal.SIGSEGV, CRASHING_LINE):
        raise NotAsPromised(f"status and line are {seen}: {json.dumps(verdict)}")


def signal_names_its_sender(outlive: Path, folder: Path) -> None:
    """Let another process end a program."""
    program = folder / "waits.py"
    program.write_text(WAITS)
    running = subprocess.Popen(
        [outlive, "run", "--quiet", program],
        env=_variables(outlive, folder),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None
    pid = running.stdout.readline().strip()
    sender = subprocess.Popen([sys.executable, "-c", SENDER, pid])
    running.communicate(timeout=SECONDS)
    sender.wait(SECONDS)
    verdict = _verdict(outlive, folder)
    says = str(verdict["cause"] and verdict["cause"]["says"])
    if running.returncode != -signal.SIGTERM or f"Process {sender.pid} " not in says:
        raise NotAsPromised(f"sent by {sender.pid}: {json.dumps(verdict)}")


def _variables(outlive: Path, folder: Path) -> dict[str, str]:
    return without_compiler(outlive.parent.parent) | {"OUTLIVE_HOME": str(folder / "records")}


def _verdict(outlive: Path, folder: Path) -> dict[str, Any]:
    asked = subprocess.run(
        [outlive, "why", "--json"],
        env=_variables(outlive, folder),
        stdout=subprocess.PIPE,
        timeout=SECONDS,
    )
    verdict: dict[str, Any] = json.loads(asked.stdout)
    return verdict


if __name__ == "__main__":
    try:
        main()
    except NotAsPromised as problem:
        sys.exit(f"the wheel is not as promised: {problem}")
