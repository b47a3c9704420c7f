"""Who sent SIGKILL: lines as the kernel writes them, and a real trace in a mount namespace of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conftest import skip_for_want_of
from made_machines import machine
from outlive.recorder.signals.kill_trace import EVENT, INSTANCES, KillTrace, killers

LINE = (
    "            {who} [001] d..1.  2014.282722: signal_generate: sig=9 errno=0 code={code} comm=python3 "
    "pid={target} grp=1 res={result}\n"
)


def line(who: str = "bash-5362", code: int = 0, target: int = 70, result: int = 0) -> str:
    return LINE.format(who=who, code=code, target=target, result=result)


@pytest.mark.parametrize(
    ("who", "pid", "name"),
    [
        ("bash-5362", 5362, "bash"),
        ("my-own-guard-7", 7, "my-own-guard"),
        ("two words-7", 7, "two words"),
        ("kworker/0:1-12", 12, "kworker/0:1"),
    ],
)
def test_the_sender_is_read(who: str, pid: int, name: str) -> None:
    lines = ["# tracer: nop\n", "#           TASK-PID     CPU#\n", line(who)]

    assert [(pid, name)] == list(killers(iter(lines), 70))


@pytest.mark.parametrize(
    "other",
    [
        line(target=71),  # somebody else's death
        line(code=128),  # the kernel itself: out of memory, or a limit of CPU time
        line(result=2),  # one was on its way already
        line("python3-70"),  # the program itself
        "garbage" * 10_000,
        "",
    ],
    ids=["another target", "the kernel", "already pending", "itself", "garbage", "nothing"],
)
def test_other_lines_name_nobody(other: str) -> None:
    assert [] == list(killers(iter([other]), 70))


def test_what_a_killed_supervisor_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    """The folders stand for instances: a real one is emptied by the kernel."""
    host = machine(
        tmp_path, {"/proc/8/stat": "8 (python) S 1 1 1 0 -1 0 0 0 0 0 7 3 0 0 20 0 1 0 5 0 0 0\n"}
    )
    above = tmp_path / INSTANCES[0].lstrip("/")
    for name in ("outlive-7-5", "outlive-8-4", "outlive-8-5", "outlive-x", "mine"):
        (above / name).mkdir(parents=True)

    assert KillTrace.open(host) is None, "no file of an instance is there to write to"
    assert {"outlive-8-5", "outlive-x", "mine"} == set(os.listdir(above))


def test_nothing_is_opened_where_there_is_no_tracefs(tmp_path: Path) -> None:
    assert KillTrace.open(machine(tmp_path, {})) is None


#: Kills its own program by the hand of a child that has a name of its own, and tells what the trace then holds.
SCRIPT = """
mount -t tracefs tracefs /sys/kernel/tracing || exit 77
ln -s /bin/sh "$1/guard"
cat > "$1/program.py" <<'END'
import os, sys
print(os.getpid(), flush=True)
sys.stdin.read()
END
mkfifo "$1/to" "$1/from"
"$0" -m outlive run -- "$0" "$1/program.py" < "$1/to" > "$1/from" &
watched=$!
exec 5> "$1/to" 6< "$1/from"
read pid <&6
until ls /sys/kernel/tracing/instances | grep -q "outlive-$watched-"; do :; done
until grep -q 1 /sys/kernel/tracing/instances/outlive-$watched-*/events/signal/signal_generate/enable; do :; done
"$1/guard" -c "kill -9 $pid; exit 0"
wait $watched
echo "status $?"
ls /sys/kernel/tracing/instances
"""


@pytest.mark.death
def test_the_sender_of_a_real_kill_is_named(tmp_path: Path) -> None:
    if os.geteuid() != 0 or not Path("/sys/kernel/tracing").is_dir():
        skip_for_want_of("only root can trace kills")
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", SCRIPT, sys.executable, tmp_path],
        env=os.environ | {"OUTLIVE_HOME": str(tmp_path / "home")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode == 77:
        skip_for_want_of(f"tracefs cannot be mounted here: {done.stderr.strip()}")

    assert "status 137\n" == done.stdout, f"the trace is gone with the run: {done.stderr}"
    (written,) = (tmp_path / "home").rglob("verdict.json")
    verdict = json.loads(written.read_text())
    assert "killed-by-process" == verdict["cause"]["slug"]
    assert "(guard" in verdict["cause"]["says"]
    assert EVENT.rpartition("/")[2] in str(verdict["cause"]["because"])
