"""What the driver of a job on Ray does when actors are lost, with a pretended Ray; a real cluster is in test_ray.py."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import fragile_task
import pretended_ray
from outlive import predict
from outlive.data.scan.cache import Cache
from outlive.data.scan.engine import Settings, scan
from outlive.errors import OutliveError
from outlive.jobs.executor import CannotWork, TaskName
from outlive.jobs.leases.cut import Lease, leases_of
from outlive.jobs.leases.lease_worker import Terms
from outlive.jobs.leases.parts import Parts
from outlive.jobs.leases.storage import FolderStorage
from outlive.jobs.ray import executor as module
from outlive.jobs.ray import seat
from outlive.jobs.ray.executor import RayExecutor

pytestmark = pytest.mark.death

Lost = Callable[[int, Sequence[Lease]], Exception | None]
NAMES = ("fragile_task", "outlive.jobs.worker")


@pytest.fixture(autouse=True)
def every_core() -> Iterator[None]:
    """The actors of a pretended Ray run in this process and take cores: other tests get them back."""
    before = os.sched_getaffinity(0)
    yield
    os.sched_setaffinity(0, before)


@pytest.fixture
def cluster(
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[[Lost], pretended_ray.Ray]]:
    """A pretended Ray that loses what is wanted; and this process is no actor that ends with its parent."""

    begun: list[pretended_ray.Ray] = []

    def begin(lost: Lost) -> pretended_ray.Ray:
        ray = pretended_ray.Ray(lost)
        begun.append(ray)
        monkeypatch.setattr(module, "Cluster", lambda address: pretended_ray.Cluster(ray))
        monkeypatch.setattr(seat, "load_ray", lambda: ray)
        monkeypatch.setattr(seat, "_end_with", lambda raylet: None)
        monkeypatch.setattr(seat, "_step_back", lambda: None)
        return ray

    yield begin
    for actor in [actor for ray in begun for actor in ray.actors]:
        actor.seat.close()  # an actor ends with its process


def never(actor: int, leases: Sequence[Lease]) -> None:
    return None


def job(
    items: list[dict[str, Any]],
    out: Path | None = None,
    say: Callable[[str], None] = lambda words: None,
    **arguments: Any,
) -> RayExecutor:
    terms = Terms(
        TaskName("fragile_task:make", {"most": 8, **arguments}, NAMES),
        fragile_task.number_of,
        fragile_task.nowhere,
    )
    leases = leases_of(items, fragile_task.number_of, 8)
    store = Parts(FolderStorage(str(out))) if out is not None else None
    return RayExecutor(terms, leases, None, store=store, say=say)


def test_what_lost_actors_had_in_hand_is_done_by_others(
    cluster: Callable[[Lost], pretended_ray.Ray], tmp_path: Path
) -> None:
    left = [pretended_ray.RayError("gone"), pretended_ray.OutOfMemoryError("full")]

    def lost(actor: int, leases: Sequence[Lease]) -> Exception | None:
        return left.pop() if left and leases else None

    ray = cluster(lost)
    items = [{"n": n, **({"run": "segfault"} if n == 7 else {})} for n in range(150)]
    running = job(items, tmp_path)

    outcomes = [one for some in running.run() for one in some]

    assert running.finished and not left
    assert 4 == len(ray.actors)  # two places, and two actors that were lost
    assert Counter(range(150)) == Counter(one.item["n"] for one in outcomes)
    assert [7] == [one.item["n"] for one in outcomes if one.death is not None]
    assert all(one.verdict and one.host for one in outcomes if one.death is not None)


def test_an_input_that_takes_its_actor_with_it_is_found_and_everything_else_is_done(
    cluster: Callable[[Lost], pretended_ray.Ray], tmp_path: Path
) -> None:
    def lost(actor: int, leases: Sequence[Lease]) -> Exception | None:
        taken = any(item["n"] == 5 for lease in leases for item in lease.items)
        return pretended_ray.RayError("its node is gone") if taken else None

    cluster(lost)
    running = job([{"n": n} for n in range(40)], tmp_path)

    outcomes = [one for some in running.run() for one in some]

    assert running.finished
    assert Counter(range(40)) == Counter(one.item["n"] for one in outcomes)
    (bad,) = [one for one in outcomes if one.death is not None]
    assert 5 == bad.item["n"]
    assert bad.verdict is not None and bad.verdict.cause is None
    assert "its node is gone" in bad.verdict.gaps["how the actor ended"]
    parts = Parts(FolderStorage(str(tmp_path)))
    parts.look()
    kept = Counter(
        name
        for one in parts.records()
        for name in [
            *(name for name, _ in one["done"]),
            *(bad["input"] for bad in one["quarantined"]),
        ]
    )
    assert Counter(str(n) for n in range(40)) == kept


def test_a_cluster_that_loses_every_actor_is_given_up_with_its_words(
    cluster: Callable[[Lost], pretended_ray.Ray],
) -> None:
    cluster(lambda actor, leases: pretended_ray.OutOfMemoryError("the node is full"))

    with pytest.raises(OutliveError, match="the node is full") as raised:
        list(job([{"n": 1}]).run())

    assert "--resume" in raised.value.help


def test_a_task_that_fails_with_any_input_ends_the_job(
    cluster: Callable[[Lost], pretended_ray.Ray],
) -> None:
    cluster(never)

    with pytest.raises(CannotWork, match="this one is bad"):
        list(job([{"n": 1}], unable="throw").run())


def test_no_actor_is_started_where_nothing_is_left(
    cluster: Callable[[Lost], pretended_ray.Ray],
) -> None:
    ray = cluster(never)
    running = job([])

    assert [] == list(running.run())
    assert running.finished and not ray.actors


def test_a_head_that_is_silent_is_told_once_with_how_to_resume_and_work_in_hand_goes_on(
    cluster: Callable[[Lost], pretended_ray.Ray], monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster(never)
    said: list[str] = []
    monkeypatch.setattr(module, "SECONDS_TO_COUNT", 0.0)
    running = job([{"n": n} for n in range(60)], say=said.append)
    count = 0
    for some in running.run():
        count += len(some)
        if some:
            monkeypatch.setattr(pretended_ray.Cluster, "silent_seconds", 30.0)

    assert running.finished and 60 == count
    (words,) = said
    assert "has not answered for 30 s" in words and "--resume" in words


def test_a_head_that_does_not_come_back_ends_a_job_that_has_nothing_in_hand(
    cluster: Callable[[Lost], pretended_ray.Ray], monkeypatch: pytest.MonkeyPatch
) -> None:
    ray = cluster(never)
    monkeypatch.setattr(pretended_ray.Cluster, "silent_seconds", 500.0)

    with pytest.raises(OutliveError, match="has not answered for 500 s") as raised:
        list(job([{"n": 1}]).run())

    assert "--resume" in raised.value.help
    assert not ray.actors


def test_a_job_that_is_stopped_finishes_what_is_in_hand(
    cluster: Callable[[Lost], pretended_ray.Ray],
) -> None:
    cluster(never)
    running = job([{"n": n} for n in range(400)])
    count = 0
    for some in running.run():
        count += len(some)
        if some:
            running.stop()

    assert not running.finished
    assert 8 <= count < 400


def test_a_data_set_is_checked_by_actors(
    cluster: Callable[[Lost], pretended_ray.Ray], tmp_path: Path
) -> None:
    cluster(never)
    for number in range(20):
        (tmp_path / f"{number}.jpg").write_bytes(b"\xff\xd8\xff\xe0 and no more")
    files = sorted(str(path) for path in tmp_path.iterdir())

    found = [one for one in scan(files, Settings(), Cache(None, ""), on="ray") if one]

    assert files == sorted(one.path for one in found)
    assert all(one.flaws for one in found)


def test_a_function_is_called_by_actors(cluster: Callable[[Lost], pretended_ray.Ray]) -> None:
    cluster(never)

    found = list(predict("ray_predict:double", range(40), on="ray"))

    assert {n: 2 * n for n in range(40) if n != 17} == {
        one.index: one.value for one in found if one.good
    }
    (bad,) = [one for one in found if not one.good]
    assert 17 == bad.index == bad.item
    assert bad.verdict and bad.verdict.cause
    assert "user-native-crashed" == bad.verdict.cause.slug
