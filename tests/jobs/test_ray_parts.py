"""What an actor does before its first lease, without Ray: its cores, its memory, its model."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from outlive.errors import OutliveError, UsageError
from outlive.jobs.endure import Answer, record_of, refused
from outlive.jobs.executor import Outcome, TaskName
from outlive.jobs.leases.cut import Lease
from outlive.jobs.leases.lease_worker import Terms, record_of_lease
from outlive.jobs.ray.cluster import address_of
from outlive.jobs.ray.cores import Cores
from outlive.jobs.ray.outcomes import kept_outcomes, lost_outcome
from outlive.jobs.ray.parcel import packed, unpacked
from outlive.jobs.ray.seat import _share

TAKE = """
import os, sys
from outlive.jobs.ray import cores as of_machine
of_machine.NAME = chr(0) + "outlive-test-" + str(os.getppid()) + "-%d"  # other tests run beside this one
cores = of_machine.Cores()
print(*cores.take(1), len(os.sched_getaffinity(0)), flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="this machine has one core")
def test_two_actors_take_different_cores_and_a_dead_one_gives_its_own_back() -> None:
    def start() -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-c", TAKE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    with start() as first, start() as second:
        taken = [(one.stdout.readline() if one.stdout else "").split() for one in (first, second)]
        assert taken[0][0] != taken[1][0]
        assert ["1", "1"] == [one[1] for one in taken]
        first.kill()
        first.wait()
        with start() as third:
            assert taken[0] == (third.stdout.readline() if third.stdout else "").split()
            third.kill()
        second.kill()


def test_an_actor_that_has_all_cores_takes_none_in_particular() -> None:
    everything = sorted(os.sched_getaffinity(0))

    assert everything == Cores().take(len(everything))
    assert everything == sorted(os.sched_getaffinity(0))


def test_the_memory_of_an_actor_is_its_share_of_what_ray_counts_on_the_node() -> None:
    assert 250_000_000 == _share({"CPU": 4.0, "memory": 1e9}, 1)
    assert 10**9 == _share({"CPU": 4.0, "memory": 1e9}, 8)
    assert None is _share({"CPU": 4.0}, 1)
    whole = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    most = _share({"CPU": 1.0, "memory": 1e18}, 1)
    assert most is not None and most < 0.9 * whole


def test_a_model_is_unpacked_once_on_a_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OUTLIVE_HOME", str(tmp_path / "home"))
    model = tmp_path / "model.tflite"
    model.write_bytes(b"weights")
    (tmp_path / "model.tflite.outlive.json").write_text("{}")
    parcel, data = packed(str(model))
    fetched: list[int] = []

    def fetch() -> bytes:
        fetched.append(1)
        return data

    path = unpacked(parcel, fetch)

    assert path == unpacked(parcel, fetch)
    assert [1] == fetched
    assert b"weights" == Path(path).read_bytes()
    assert Path(f"{path}.outlive.json").exists()


def number_of(item: int) -> str:
    return str(item)


def test_what_an_actor_had_committed_is_read_as_it_was_told() -> None:
    terms = Terms(TaskName("m:f"), number_of, number_of)
    lease = Lease("00000000000000ab", (1, 2))
    lost = lost_outcome(2, "2", "host", 3, "The actor died")
    record = record_of_lease(number_of, [Outcome(1, "one"), lost])

    found = dict(kept_outcomes(terms, lease, record))

    assert "one" == found[0].value
    verdict = found[1].verdict
    assert verdict is not None and "lost with its actor 3 times" in verdict.ending.detail
    assert "The actor died" in verdict.gaps["how the actor ended"]
    assert "host" == found[1].host
    assert record["quarantined"] == record_of([answer_of(found[1])])["quarantined"]


def answer_of(outcome: Outcome) -> Answer:
    assert outcome.death is not None and outcome.verdict is not None
    return refused(outcome, outcome.death, number_of(outcome.item), outcome.verdict)


def test_where_a_job_is_to_run_is_read() -> None:
    assert None is address_of("ray")
    assert "10.0.0.1:6379" == address_of("ray:10.0.0.1:6379")
    for on in ("dask", "ray://10.0.0.1:10001", "rayon"):
        with pytest.raises(UsageError):
            address_of(on)


def test_an_error_that_has_a_final_answer_is_told_as_such() -> None:
    assert 4 == _status(OutliveError("a"), final=True)
    assert 3 == _status(OutliveError("a"), final=False)


def _status(error: OutliveError, final: bool) -> int:
    from outlive.detection.start import final as told
    from outlive.jobs.endure import WorkerFailed

    failure = WorkerFailed(error.message)
    failure.final = final
    with pytest.raises(OutliveError) as raised, told(is_shard=True):
        raise failure
    return raised.value.exit_code
