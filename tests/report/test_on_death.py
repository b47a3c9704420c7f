"""The command that is run when a program has died: it gets the verdict, masked, and can neither hang nor change anything."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from conftest import Outlive
from outlive.model.findings import Ending, EndingKind, Finding, Verdict
from outlive.model.verdict_json import from_json
from outlive.report.hooks.on_death import tell_of_a_death
from outlive.report.hooks.run_hook import HookFailed, run_hook

DEAD = Verdict("20260101-000000-aa", Ending(EndingKind.EXIT, exit_code=1), (Finding("It /home/me/x/y.py broke."),))  # fmt: skip
DIES = "import os, sys\nsys.stderr.write('last words\\n')\nos.kill(os.getpid(), 9)\n"


def told(command: str, verdict: Verdict = DEAD, seconds: float = 20, **variables: str) -> list[str]:
    complaints: list[str] = []
    tell_of_a_death(command, verdict, complaints.append, os.environ | variables, seconds)
    return complaints


def test_the_command_gets_the_verdict_that_a_stranger_may_read(tmp_path: Path) -> None:
    assert [] == told(f"cat > '{tmp_path}/told'; echo $OUTLIVE_RUN > '{tmp_path}/run'")

    verdict = from_json((tmp_path / "told").read_text())
    assert "It …/y.py broke." == verdict.findings[0].says
    assert f"{DEAD.run}\n" == (tmp_path / "run").read_text()


def test_a_run_that_ended_well_is_no_death(tmp_path: Path) -> None:
    told(f"touch '{tmp_path}/told'", Verdict("run", Ending(EndingKind.SUCCESS)))

    assert not (tmp_path / "told").exists()


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("exit 4", "ended with status 4"),
        ("no-such-command-anywhere", "ended with status 127"),
        ("exec <&-; true", None),
        ("kill -9 $$", "ended with status -9"),
    ],
)
def test_a_command_that_fails_is_a_line_and_nothing_more(
    command: str, complaint: str | None
) -> None:
    said = told(command)

    assert ([complaint] if complaint else []) == [line.split("command ")[1].rstrip(".") for line in said]  # fmt: skip


def test_a_command_that_hangs_is_ended_with_all_its_children(tmp_path: Path) -> None:
    said = told(f"sh -c 'echo $$ > {tmp_path}/pid; exec sleep 600' & wait", seconds=1)

    assert "took more than 1 s" in said[0]
    until = time.monotonic() + 20
    while _lives(tmp_path / "pid"):
        assert time.monotonic() < until, "the grandchild lives on"
        time.sleep(0.01)


def _lives(pid: Path) -> bool:
    """On a machine so busy that it had not even begun, it was ended before."""
    try:
        return ") Z " not in Path(f"/proc/{int(pid.read_text())}/stat").read_text()
    except (OSError, ValueError):
        return False


def test_a_command_that_does_not_read_a_long_verdict_does_no_harm() -> None:
    run_hook(["true"], b"x" * 10_000_000, os.environ, 20)


def test_what_is_not_there_is_an_error_with_a_reason() -> None:
    with pytest.raises(HookFailed, match="could not be started"):
        run_hook(["/no/such/command"], b"", os.environ, 20)


def test_nobody_who_is_impatient_waits_until_the_time_is_up() -> None:
    """The supervisor has its signals blocked: one that is pending is somebody who wants it to end."""
    old = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    try:
        # To this thread: the other threads of a test runner do not block it.
        signal.pthread_kill(threading.get_ident(), signal.SIGTERM)
        with pytest.raises(HookFailed, match="had to exit"):
            run_hook(["sleep", "600"], b"", os.environ, 500)
        assert signal.SIGTERM == signal.sigwait({signal.SIGTERM})
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)


def test_the_signals_of_the_child_are_not_blocked(tmp_path: Path) -> None:
    old = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    try:
        run_hook(["grep", "-q", "^SigBlk:.0*$", "/proc/self/status"], b"", os.environ, 20)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)


@pytest.mark.death
@pytest.mark.parametrize("way", ["option", "variable"])
def test_a_real_death_runs_it_and_keeps_its_signal(outlive: Outlive, way: str) -> None:
    script = outlive.script("train.py", DIES)
    hook = f"cat > '{outlive.folder}/told'; echo heard; exit 9"
    words = ["--on-death", hook] if way == "option" else []
    variables = {} if words else {"OUTLIVE_ON_DEATH": hook}

    done = outlive("run", "--quiet", *words, str(script), variables=variables)

    assert -signal.SIGKILL == done.status
    verdict = json.loads((outlive.folder / "told").read_text())
    assert "killed-by-process" == verdict["cause"]["slug"]
    assert done.stderr.splitlines() == [
        "last words",
        "heard",
        "outlive: the on-death command ended with status 9.",
    ]
    assert "" == done.stdout


def test_a_healthy_run_does_not_run_it(outlive: Outlive) -> None:
    script = outlive.script("train.py", "print('well')")

    done = outlive("run", f"--on-death=touch '{outlive.folder}/told'", str(script))

    assert (0, "well\n", "") == (done.status, done.stdout, done.stderr)
    assert not (outlive.folder / "told").exists()


def test_on_end_is_told_of_every_end(outlive: Outlive) -> None:
    done = outlive("run", "--on-end", "cat > told", "-c", "print('well')")

    assert (0, "well\n", "") == (done.status, done.stdout, done.stderr)
    ending = json.loads((outlive.folder / "told").read_text())["ending"]
    assert ("success", 0) == (ending["kind"], ending["exit_code"])


def test_it_needs_a_command(outlive: Outlive) -> None:
    done = outlive("run", "--on-death")

    assert 2 == done.status
    assert "--on-death needs COMMAND." in done.stderr
