"""`outlive fix`, end to end: real deaths, real patches, run again for real."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from limited import enter

from conftest import Outlive

KEEPS = """\
import time


def collect(count):
    archive = []
    total = 0
    for number in range(count):
        piece = bytearray(number.to_bytes(4, "little") * 500_000)
        archive.append(piece)
        total += piece[0]
        time.sleep(0.001)
    return total


open("result.txt", "w").write(str(collect(400)))
"""

OPENS = """\
import sys

trail = []


def first_number(path):
    trail.append(path)
    file = open(path)
    leaked = [file.fileno()]
    keep.append(sys.getrefcount(file)), keep.append(file.read)
    return len(leaked)


keep = []
print(sum(first_number(__file__) for _ in range(200)))
"""

LEAKS = """\
import gc


class Row:
    def __init__(self, path):
        self.me = self
        file = open(path)
        self.text = file.read()
        self.close = lambda: file


gc.disable()
print(sum(len(Row(__file__).text) for _ in range(200)))
"""


def few_files() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (60, 60))


def die(outlive: Outlive, name: str, text: str, before: object) -> None:
    (outlive.folder / name).write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "outlive", "run", name],
        cwd=outlive.folder,
        env=outlive.environment,
        preexec_fn=before,  # type: ignore[arg-type]
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode, done.stderr


@pytest.mark.death
@pytest.mark.memory(200)
def test_a_patch_is_run_under_the_same_limit_and_applied(outlive: Outlive, group: Path) -> None:
    die(outlive, "train.py", KEEPS, lambda: enter(group))
    before = (outlive.folder / "train.py").read_text()

    told = json.loads(outlive("fix", "--json").stdout)

    assert "kept-in-container" == told["cause"]
    assert told["patch"]["verified"]
    assert told["patch"]["because"].startswith("verified: it ran to its end (status 0)")
    assert "" == told["patch"]["results"]
    assert "-        archive.append(piece)" in told["patch"]["diff"]
    assert "" == (outlive.folder / "result.txt").read_text(), "the copy writes into itself"
    assert before == (outlive.folder / "train.py").read_text()
    assert 1 == len(list((outlive.home / "runs").iterdir())), "the rehearsal leaves no run"

    in_git(outlive, "init", "-q")
    in_git(outlive, "add", "train.py")
    refused = outlive("fix", "--apply")
    assert 2 == refused.status
    assert "not committed" in refused.stderr
    in_git(outlive, "commit", "-q", "-m", "first")
    applied = outlive("fix", "--apply")

    assert 0 == applied.status
    assert "archive.append" not in (outlive.folder / "train.py").read_text()
    assert before == (outlive.folder / "train.py.before-fix").read_text()
    assert "Verified: it ran to its end" in applied.stdout
    assert "changed since the run" in outlive("fix").stdout


def in_git(outlive: Outlive, *words: str) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *who, *words], cwd=outlive.folder, check=True, timeout=20)


@pytest.mark.death
def test_a_patch_is_verified_under_the_limit_on_files(outlive: Outlive) -> None:
    die(outlive, "rows.py", LEAKS, few_files)

    done = outlive("fix")

    assert 0 == done.status, done.stdout
    assert "with open(path) as file:" in done.stdout
    assert "Verified: it ran to its end (status 0)" in done.stdout
    assert "outlive fix --apply" in done.stdout


@pytest.mark.death
def test_where_nothing_can_be_derived_the_remedy_is_told_in_words(outlive: Outlive) -> None:
    die(outlive, "rows.py", OPENS.replace("keep.append(file.read)", "keep.append(file)"), few_files)

    done = outlive("fix")

    assert 1 == done.status
    assert "keep holds 110" in " ".join(done.stdout.split())
    assert "with open(…) as file" in done.stdout
    refused = outlive("fix", "--apply")
    assert 2 == refused.status


@pytest.mark.death
def test_a_hidden_part_of_the_command_is_asked_for(outlive: Outlive) -> None:
    (outlive.folder / "rows.py").write_text(LEAKS)
    secret = "--password=hunter2hunter2"
    subprocess.run(
        [sys.executable, "-m", "outlive", "run", "rows.py", secret],
        cwd=outlive.folder,
        env=outlive.environment,
        preexec_fn=few_files,
        capture_output=True,
        timeout=60,
        check=False,
    )

    hidden = json.loads(outlive("fix", "--json").stdout)
    given = json.loads(
        outlive("fix", "--json", "--command", f"{sys.executable} rows.py {secret}").stdout
    )

    assert not hidden["patch"]["verified"]
    assert "hidden in the record" in hidden["patch"]["because"]
    assert given["patch"]["verified"]
    assert "hunter2" not in os.fsdecode(json.dumps(hidden).encode())
