"""Jobs of many ranks that really die: the first culprit is named with its line, and nobody else is accused."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from limited import parent_group

from play_job import STUCK, Job, cluster, kill_at_fault, line_of, numbered, playing, wait_for

pytestmark = pytest.mark.death

tensorflow = pytest.mark.skipif(
    importlib.util.find_spec("tensorflow") is None, reason="TensorFlow is not installed"
)
torch = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="PyTorch is not installed"
)
needs_cgroup = pytest.mark.skipif(
    parent_group() is None, reason="no memory cgroup can be made here (not root, or not mounted)"
)
needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount")


def parts(told: Mapping[str, Any]) -> dict[str, str]:
    return {it["rank"]: it["part"] for it in told["ranks"]}


def line(told: Mapping[str, Any]) -> int | None:
    first = next(it for it in told["ranks"] if it["rank"] == told["first"])
    return first["where"]["line"] if first["where"] else None


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small file system, to be filled by one rank."""
    folder = tmp_path / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder], check=True)
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def died_of(
    program: str,
    environments: Mapping[str, Mapping[str, str]],
    home: Path,
    rank: str,
    fault: str,
    **more: Any,
) -> dict[str, Any]:
    """Let one rank die, wait for the end of all, and ask who was first."""
    with playing(program, environments, home, {rank: fault}, **more) as job:
        wait_for(job)
        return dict(job.verdict())


PLAIN = ("kill", "segfault", "raises", "vanishes", "recursion", "leaves", "loads")


@pytest.mark.parametrize("fault", PLAIN)
def test_the_rank_that_died_is_the_first_and_the_others_are_its_victims(
    fault: str, tmp_path: Path
) -> None:
    told = died_of("ring.py", numbered(3), tmp_path, "1", fault)

    assert {"0": "victim", "1": "first", "2": "victim"} == parts(told)
    assert line_of(fault) == line(told)


@needs_cgroup
def test_a_rank_that_ran_out_of_memory_in_a_cgroup_of_its_own(tmp_path: Path) -> None:
    told = died_of("ring.py", numbered(3), tmp_path, "2", "memory", memory={"2": 200})

    assert {"0": "victim", "1": "victim", "2": "first"} == parts(told)
    assert line_of("memory") == line(told)


@needs_root
def test_a_rank_whose_disk_was_full(disk: Path, tmp_path: Path) -> None:
    told = died_of(
        "ring.py", numbered(3), tmp_path / "home", "0", "disk", variables={"RANK_DISK": str(disk)}
    )

    assert ("0", line_of("disk")) == (told["first"], line(told))


def test_a_rank_that_was_killed_from_outside(tmp_path: Path) -> None:
    with playing("ring.py", numbered(3), tmp_path, {"1": "outside"}) as job:
        kill_at_fault(job, "1")
        wait_for(job)
        told = dict(job.verdict())

    assert {"0": "victim", "1": "first", "2": "victim"} == parts(told)


def test_the_rank_that_holds_the_others_up_is_named_with_what_they_wait_for(tmp_path: Path) -> None:
    with playing("ring.py", numbered(3), tmp_path, {"1": "hangs"}, ("--hang-after", "1")) as job:
        wait_for(job, until=STUCK)
        told = dict(job.verdict())

    assert {"0": "waits", "1": "first", "2": "waits"} == parts(told)
    assert line_of("hangs") == line(told)
    assert {line_of("step", "ring.py")} == {
        it["where"]["line"] for it in told["ranks"] if it["part"] == "waits"
    }
    assert {"waits in horovod's allreduce for the others"} == {
        it["says"] for it in told["ranks"] if it["part"] == "waits"
    }
    assert not told["ended"]


def test_a_rank_without_a_record_is_named_as_such(tmp_path: Path) -> None:
    with playing("ring.py", numbered(3), tmp_path, {"1": "kill"}, bare=("1",)) as job:
        wait_for(job)
        told = dict(job.verdict())
        shown = job.why().stdout

    assert ("1", "possible") == (told["first"], told["confidence"])
    assert "left no record" in shown


def test_one_victim_alone_says_that_another_one_was_lost(tmp_path: Path) -> None:
    with playing("ring.py", numbered(3), tmp_path, {"1": "kill"}, bare=("1", "2")) as job:
        wait_for(job)

    assert b"peer-lost" in job.ranks["0"].words
    assert b"outlive why --job" in job.ranks["0"].words


def test_a_rank_whose_supervisor_was_killed_too_is_judged_by_what_it_left(tmp_path: Path) -> None:
    with playing("ring.py", numbered(3), tmp_path, {"1": "outside", "2": "told"}) as job:
        assert os.read(job.ranks["2"].ready, 64)
        job.ranks["2"].process.send_signal(signal.SIGKILL)
        kill_at_fault(job, "1")
        wait_for(
            job
        )  # the program of rank 2 lives until it has lost rank 1, and holds its stderr for so long
        told = dict(job.verdict())

    assert "1" == told["first"]
    assert "victim" == parts(told)["2"]


def test_the_job_of_before_does_not_mix_with_the_last_one(tmp_path: Path) -> None:
    ranks = numbered(2)
    died_of("ring.py", ranks, tmp_path, "0", "raises")

    told = died_of("ring.py", ranks, tmp_path, "1", "vanishes")

    assert ("1", 2) == (told["first"], len(told["ranks"]))


def test_ranks_that_nothing_tells_are_named_by_hand(tmp_path: Path) -> None:
    environment = {**os.environ, "OUTLIVE_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "outlive", "run", "--job", "mine", "--"]
    subprocess.run([*command, "true"], env=environment, check=True)
    subprocess.run([*command, sys.executable, "-c", "1/0"], env=environment, check=False, capture_output=True)  # fmt: skip

    told = json.loads(Job(tmp_path).why("mine", "--json").stdout)

    assert ["mine", 2] == [told["job"], len(told["ranks"])]
    assert "ZeroDivisionError" in str(told)


def test_a_page_shows_the_ranks_side_by_side(tmp_path: Path) -> None:
    with playing("ring.py", numbered(3), tmp_path, {"1": "raises"}) as job:
        wait_for(job)
        page = job.why("--html", "-").stdout
        shared = job.why("--share").stdout + job.why("--share", "--json").stdout

    assert 3 == page.count("<h3>")
    assert "<script" not in page
    assert os.uname().nodename not in shared
    assert "127.0.0.1" not in shared


@tensorflow
@pytest.mark.tf
@pytest.mark.parametrize("fault", ["kill", "segfault", "raises"])
def test_workers_of_tensorflow_name_the_one_that_they_lost(fault: str, tmp_path: Path) -> None:
    told = died_of("mwms.py", cluster(worker=3), tmp_path, "worker/1", fault)

    assert {"worker/0": "victim", "worker/1": "first", "worker/2": "victim"} == parts(told)
    assert line_of(fault) == line(told)
    assert "worker/1" in {it["lost"] for it in told["ranks"]}


@torch
def test_ranks_of_gloo(tmp_path: Path) -> None:
    told = died_of("gloo.py", numbered(3), tmp_path, "1", "raises")

    assert {"0": "victim", "1": "first", "2": "victim"} == parts(told)
    assert line_of("raises") == line(told)
