"""The kernel's memory killer leaves the supervisor alone where that may be asked for, and nobody else inherits it."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from limited import enter, memory_group, parent_group

from conftest import Outlive

pytestmark = pytest.mark.death

OWN = "/proc/self/oom_score_adj"
TELLS = """\
import os, resource, sys
for pid in ("self", os.getppid()):
    with open(f"/proc/{pid}/oom_score_adj") as file, open(sys.argv[1], "a") as told:
        told.write(file.read())
if resource.getrlimit(resource.RLIMIT_NOFILE)[0] < 100:
    files = [open(sys.argv[0]) for _ in range(100)]
"""
TAKES_ALL_BUT_IS_DEARER = """\
with open("/proc/self/oom_score_adj", "w") as file:
    file.write("0")
kept = []
while True:
    kept.append(bytearray(1_000_000))
"""


#: What anybody may do: lower it again to what it was before it was raised.
WITHOUT_RIGHTS = "from outlive.recorder import oom_score as spared; spared.NEVER = b'0'; from outlive.__main__ import main; main()"


def may_ask() -> bool:
    command = ["sh", "-c", f"echo -1000 > {OWN}"]
    return subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode == 0


def raised() -> None:
    Path(OWN).write_text("1000")


def test_the_supervisor_asks_for_itself_alone(outlive: Outlive) -> None:
    script = outlive.script("train.py", TELLS)

    command = [sys.executable, "-c", WITHOUT_RIGHTS, "run", "--heal", "--on-death"]
    command += [f"cat {OWN} >> told", str(script), "told"]
    done = subprocess.run(
        ["sh", "-c", 'ulimit -Sn 64; exec "$@"', "sh", *command],
        cwd=outlive.folder,
        env=outlive.environment,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=raised,
        check=False,
        timeout=60,
    )

    assert 0 == done.returncode, done.stderr
    again = "-1000" if may_ask() else "1000"  # started anew, it may lower it no further than we may
    told = (outlive.folder / "told").read_text().split()
    program, supervisor, hook = ["1000", "0", "1000"]
    assert [program, supervisor, hook, program, again] == told


@pytest.mark.skipif(parent_group() is None, reason="no memory cgroup can be made here")
def test_the_verdict_is_made_where_the_supervisor_would_have_been_killed_first(
    outlive: Outlive,
) -> None:
    script = outlive.script("train.py", TAKES_ALL_BUT_IS_DEARER)

    with memory_group(200) as group:
        done = subprocess.run(
            [sys.executable, "-c", WITHOUT_RIGHTS, "run", "--json", str(script)],
            cwd=outlive.folder,
            env=outlive.environment,
            stderr=subprocess.PIPE,
            preexec_fn=lambda: (enter(group), raised()),
            check=False,
            timeout=60,
        )

    assert -signal.SIGKILL == done.returncode
    assert "kernel-oom" == json.loads(done.stderr)["ending"]["by"]


def test_who_may_not_ask_hears_nothing_and_is_as_given(outlive: Outlive) -> None:
    script = outlive.script("train.py", TELLS.replace("100", "0"))

    done = outlive("run", str(script), "told")

    given = Path(OWN).read_text().strip()
    assert (0, "") == (done.status, done.stderr)
    supervisor = "-1000" if may_ask() else given
    assert [given, supervisor] == (outlive.folder / "told").read_text().split()
