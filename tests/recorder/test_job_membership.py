"""Each rank knows its job from the environment of its launcher: the nearest one first, and `--job` over all."""

from __future__ import annotations

import json
import os
import time
from typing import Any

import pytest

from outlive.inside.machine.host import Host
from outlive.recorder.job_membership import here, membership
from outlive.recorder.store import read_run, run_folders

TORCHRUN = {"TORCHELASTIC_RUN_ID": "r7", "RANK": "2", "WORLD_SIZE": "4", "MASTER_ADDR": "a", "MASTER_PORT": "1"}  # fmt: skip
CLUSTER = {"worker": ["a:1", "b:2"], "ps": ["c:3"]}
TENSORFLOW = {"TF_CONFIG": json.dumps({"cluster": CLUSTER, "task": {"type": "worker", "index": 1}})}
OPEN_MPI = {"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "3", "PMIX_NAMESPACE": "4711"}
MPICH = {"PMI_RANK": "1", "PMI_SIZE": "3", "PMI_JOBID": "k"}
PLAIN = {"RANK": "1", "WORLD_SIZE": "3", "MASTER_ADDR": "a", "MASTER_PORT": "29500"}
SLURM = {"SLURM_PROCID": "1", "SLURM_NTASKS": "3", "SLURM_JOB_ID": "9", "SLURM_STEP_ID": "0"}


@pytest.mark.parametrize(
    ("environment", "name", "rank", "size", "launcher"),
    [
        (TORCHRUN, "torchrun-r7", "2", 4, "torchrun"),
        (TORCHRUN | {"TORCHELASTIC_RUN_ID": "none"}, "torchrun-a:1", "2", 4, "torchrun"),
        (TENSORFLOW, None, "worker/1", 3, "TF_CONFIG"),
        (OPEN_MPI, "mpi-4711", "1", 3, "mpirun"),
        (MPICH, "mpi-k", "1", 3, "mpiexec"),
        (PLAIN, "a:29500", "1", 3, "RANK"),
        (PLAIN | {"RAY_JOB_ID": "01"}, "a:29500", "1", 3, "Ray"),
        (SLURM, "slurm-9.0", "1", 3, "srun"),
        (SLURM | TORCHRUN, "torchrun-r7", "2", 4, "torchrun"),
        (SLURM | TENSORFLOW, None, "worker/1", 3, "TF_CONFIG"),
        (SLURM | OPEN_MPI, "mpi-4711", "1", 3, "mpirun"),
    ],
)
def test_the_nearest_launcher_tells(
    environment: dict[str, str], name: str | None, rank: str, size: int, launcher: str
) -> None:
    found = membership(environment)

    assert found is not None
    assert (rank, size, launcher) == (found["rank"], found["size"], found["launcher"])
    assert name in (None, found["name"])


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"RANK": "0"},
        {"RANK": "0", "WORLD_SIZE": "2"},
        {**PLAIN, "WORLD_SIZE": "1"},
        {name: value for name, value in SLURM.items() if name != "SLURM_STEP_ID"},
        {"TF_CONFIG": json.dumps({"cluster": {"worker": ["a:1"]}, "task": {"type": "worker", "index": 0}})},
        *({"TF_CONFIG": text} for text in ("", "{", "[]", "7", '{"cluster": 3, "task": 4}', '{"task": {"type": "worker", "index": 0}}')),
        {**PLAIN, "RANK": "-1"},
        {**PLAIN, "RANK": "one"},
    ],
)  # fmt: skip
def test_a_program_that_is_no_rank_is_none(environment: dict[str, str]) -> None:
    assert None is membership(environment)


def test_all_tasks_of_a_cluster_give_it_the_same_name() -> None:
    names = set()
    for kind, index in (("worker", 0), ("worker", 1), ("ps", 0)):
        config = {"cluster": CLUSTER, "task": {"type": kind, "index": index}}
        found = membership({"TF_CONFIG": json.dumps(config)})
        assert found is not None and found["addresses"] == {"ps/0": "c:3", "worker/0": "a:1", "worker/1": "b:2"}  # fmt: skip
        names.add(found["name"])

    assert 1 == len(names)


def test_a_name_that_was_given_is_kept_with_the_rank_that_is_known() -> None:
    assert {"name": "mine", "rank": "1"}.items() <= (membership(SLURM, "mine") or {}).items()
    assert {"name": "mine", "rank": ""}.items() <= (membership({}, "mine") or {}).items()


def test_a_run_of_another_host_is_not_taken_for_dead(tmp_path: Any) -> None:
    mine = {"supervisor": os.getpid(), "supervisor_started": 1, "host": here()}
    other = {**mine, "host": {"name": "elsewhere", "boot": "b", "pids": "p"}}
    (tmp_path / run_folders.LOG_NAME).touch()

    assert not read_run.may_run_elsewhere(str(tmp_path), mine)
    assert read_run.may_run_elsewhere(str(tmp_path), other)
    assert not read_run.is_running(other)
    os.utime(tmp_path / run_folders.LOG_NAME, (1, 1))
    assert not read_run.may_run_elsewhere(str(tmp_path), other)


def test_a_machine_that_was_started_again_is_the_same_one() -> None:
    assert not read_run.is_elsewhere({"host": {**here(), "boot": "before"}})
    assert read_run.is_elsewhere({"host": {**here(), "pids": "pid:[1]"}})
    assert not read_run.is_elsewhere({"host": {"system": "Linux"}})  # a record of an older release


def test_ranks_that_begin_at_the_same_moment_get_a_folder_each(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = iter(["20260101-000000-aaaa", "20260101-000000-aaaa", "20260101-000000-bbbb"])
    monkeypatch.setenv("OUTLIVE_HOME", str(tmp_path))
    monkeypatch.setattr(run_folders, "_new_name", lambda: next(names))

    first, _ = run_folders.new_run(Host())
    second, _ = run_folders.new_run(Host())

    assert first != second


def test_silence_is_judged_by_how_long_the_run_had_lasted(tmp_path: Any) -> None:
    log, now = tmp_path / run_folders.LOG_NAME, time.time()
    log.touch()
    os.utime(log, (now - 100, now - 100))
    other = {"host": {"name": "elsewhere", "boot": "b", "pids": "p"}}
    short, long = {**other, "time": now - 160}, {**other, "time": now - 7 * 86_400}

    assert not read_run.may_run_elsewhere(str(tmp_path), short)
    assert read_run.may_run_elsewhere(str(tmp_path), long)
    assert read_run.may_run_elsewhere(str(tmp_path), short, read_run.PATIENCE_SECONDS)
