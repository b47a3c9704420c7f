"""`outlive why PID`: living processes are explained and not touched; what cannot be asked is refused with a reason."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import SECONDS, Outlive
from outlive.cli.why import is_process

#: Two threads, two locks; says when both hold one.
DEADLOCK = """
import sys, threading

class Pair:
    def __init__(self):
        self.left, self.right = threading.Lock(), threading.Lock()
        self.both = threading.Barrier(2)

    def one(self):
        with self.left:
            self.both.wait()
            print("ready", flush=True)
            with self.right:  # <- one
                pass

    def other(self):
        with self.right:
            self.both.wait()
            self.left.acquire()  # <- other

pair = Pair()
threading.Thread(target=pair.other, name="second", daemon=True).start()
pair.one()
"""
WORKS = "print('ready', flush=True)\nwhile True:\n    sum(range(1000))\n"
READS = (
    "import sys\nprint('ready', flush=True)\nsys.stdin.readline()\nprint('went on', flush=True)\n"
)

needs_py_spy = pytest.mark.skipif(
    not (shutil.which("py-spy") or os.access(Path(sys.executable).parent / "py-spy", os.X_OK)),
    reason="py-spy is not installed",
)


@contextlib.contextmanager
def running(outlive: Outlive, text: str, *before: str) -> Iterator[subprocess.Popen[str]]:
    """A program that has said that it is ready; killed by its number afterwards."""
    script = outlive.script("living.py", text)
    process = subprocess.Popen(
        [sys.executable, *before, str(script)],
        env=outlive.environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        assert "ready\n" == process.stdout.readline()
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=SECONDS)


def line_of(text: str, mark: str) -> int:
    return next(n for n, line in enumerate(text.splitlines(), 1) if line.endswith(f"# <- {mark}"))


@pytest.mark.death
def test_a_deadlock_in_a_recorded_program_is_explained_while_it_lives(outlive: Outlive) -> None:
    with running(outlive, DEADLOCK, "-m", "outlive", "run", "--quiet") as process:
        told = outlive("why", str(process.pid), "--json")
        alive = process.poll() is None

    verdict = json.loads(told.stdout)
    assert alive
    assert (1, "hang") == (told.status, verdict["ending"]["kind"])
    assert ("deadlocked", "proven") == (
        verdict["cause"]["slug"],
        verdict["cause"]["confidence"],
    )
    assert line_of(DEADLOCK, "one") == verdict["cause"]["where"]["line"]


@pytest.mark.death
@needs_py_spy
def test_a_deadlock_in_any_python_is_explained_by_py_spy(outlive: Outlive) -> None:
    with running(outlive, DEADLOCK) as process:
        told = outlive("why", str(process.pid), "--json")

    verdict = json.loads(told.stdout)
    assert ("deadlocked", "likely") == (
        verdict["cause"]["slug"],
        verdict["cause"]["confidence"],
    )
    assert line_of(DEADLOCK, "one") == verdict["cause"]["where"]["line"]


@pytest.mark.death
def test_without_py_spy_the_gaps_say_what_would_have_told(outlive: Outlive, tmp_path: Path) -> None:
    code = f"import sys\nsys.executable = {str(tmp_path / 'python')!r}\nfrom outlive.__main__ import main\n"
    with running(outlive, DEADLOCK) as process:
        done = subprocess.run(
            [sys.executable, "-c", f"{code}sys.exit(main(['why', '{process.pid}', '--json']))"],
            env=outlive.environment | {"PATH": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )

    verdict = json.loads(done.stdout)
    assert (0, "hang", None) == (done.returncode, verdict["ending"]["kind"], verdict["cause"])
    assert "outlive[why]" in verdict["gaps"]["waits"]


@pytest.mark.death
@pytest.mark.parametrize("before", [(), ("-m", "outlive", "run", "--quiet")], ids=["bare", "run"])
def test_a_program_that_works_is_said_to_work(outlive: Outlive, before: tuple[str, ...]) -> None:
    with running(outlive, WORKS, *before) as process:
        told = outlive("why", str(process.pid), "--json")

    verdict = json.loads(told.stdout)
    assert (0, "success", None) == (told.status, verdict["ending"]["kind"], verdict["cause"])
    assert "running and busy" in verdict["ending"]["detail"]


@pytest.mark.death
@pytest.mark.parametrize("before", [(), ("-m", "outlive", "run", "--quiet")], ids=["bare", "run"])
def test_a_program_that_waits_for_input_goes_on_after_it_was_asked_about(
    outlive: Outlive, before: tuple[str, ...]
) -> None:
    with running(outlive, READS, *before) as process:
        told = outlive("why", str(process.pid))
        output, _ = process.communicate("a line\n", timeout=SECONDS)

    assert 0 == told.status
    assert "input" in " ".join(told.stdout.split())
    assert "went on\n" == output
    assert 0 == process.returncode


@pytest.mark.death
def test_what_is_shared_of_a_living_program_has_no_paths(outlive: Outlive) -> None:
    with running(outlive, DEADLOCK, "-m", "outlive", "run", "--quiet") as process:
        told = outlive("why", str(process.pid), "--share")

    assert "deadlocked" in told.stdout
    assert (
        str(outlive.environment["HOME"]) not in told.stdout or len(outlive.environment["HOME"]) < 3
    )
    assert "living.py" in told.stdout


def test_a_number_that_is_no_process_is_refused(outlive: Outlive) -> None:
    done = outlive("why", "4194305")

    assert (2, "") == (done.status, done.stdout)
    assert "no process 4194305" in done.stderr


def test_the_command_does_not_judge_itself(outlive: Outlive) -> None:
    """`outlive why $$` in a script whose shell has become this command: it was told that it is stuck."""
    become = 'exec "$0" -m outlive why $$'
    done = subprocess.run(
        ["sh", "-c", become, sys.executable],
        env=outlive.environment,
        cwd=outlive.folder,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )

    assert (2, "") == (done.returncode, done.stdout)
    assert "is this command itself" in done.stderr


def test_a_process_that_is_not_python_is_refused(outlive: Outlive) -> None:
    process = subprocess.Popen(["sleep", "60"])
    try:
        done = outlive("why", str(process.pid))
    finally:
        process.kill()
        process.wait(timeout=SECONDS)

    assert 2 == done.status
    assert "is not Python" in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_process_of_another_user_is_refused(outlive: Outlive, tmp_path: Path) -> None:
    code = f"import os\nfrom outlive.coroner.living_process import explain\nos.setuid(65534)\nexplain({os.getpid()})"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=outlive.environment | {"OUTLIVE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )

    assert "belongs to another user" in done.stderr


def test_the_name_of_a_run_is_no_process(outlive: Outlive) -> None:
    assert is_process("4242")
    assert not is_process("20261116-024039-1512")
    assert not is_process("20261116")
    assert not is_process("./4242")
    assert not is_process(None)
