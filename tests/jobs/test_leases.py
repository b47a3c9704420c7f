"""Leases: the cut is the same whoever makes it, what is committed is done, and each input counts once."""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from outlive.errors import UsageError
from outlive.jobs.endure import Answer, WorkerFailed, record_of
from outlive.jobs.executor import CannotWork, Outcome, TaskName
from outlive.jobs.leases.cut import Lease, is_of_shard, leases_of, size_for
from outlive.jobs.leases.lease_worker import Terms
from outlive.jobs.leases.losses import Losses, item_of
from outlive.jobs.leases.open_storage import storage_at
from outlive.jobs.leases.parts import FOLDER, Parts
from outlive.jobs.leases.repeated import repeated
from outlive.jobs.leases.shard_executor import ShardExecutor
from outlive.jobs.leases.standing import Standing, Status, shard_of
from outlive.jobs.leases.storage import FolderStorage
from outlive.jobs.leases.store_storage import StoreStorage

TASK = TaskName("fragile_task:make", {"most": 8}, ("fragile_task", "outlive.jobs.worker"))


def number_of(item: Any) -> str:
    return str(item["n"])


def nowhere(item: Any) -> str:
    return ""


def terms(**changes: Any) -> Terms:
    return Terms(TASK, number_of, nowhere, **changes)


def parts_in(folder: Path) -> Parts:
    return Parts(FolderStorage(str(folder)))


def names_in(parts: Parts) -> tuple[Counter[str], dict[str, str]]:
    """How often each input is among the results, and the cause of each in quarantine."""
    parts.look()
    names: Counter[str] = Counter()
    causes = {}
    for record in parts.records():
        names.update(name for name, _ in record["done"])
        names.update(one["input"] for one in record["quarantined"])
        causes |= {one["input"]: one["cause"] for one in record["quarantined"]}
    return names, causes


@given(some.lists(some.text(), unique=True, max_size=400), some.integers(1, 80))
def test_every_input_is_in_one_lease_and_every_lease_in_one_shard(
    names: list[str], size: int
) -> None:
    leases = list(leases_of(names, str, size))

    assert names == [name for lease in leases for name in lease.items]
    assert all(1 <= len(lease.items) <= 2 * size for lease in leases)
    shards = [[at for at in range(3) if is_of_shard(lease.id, at, 3)] for lease in leases]
    assert all(len(one) == 1 for one in shards)


def test_an_input_more_changes_the_leases_around_it_and_no_other() -> None:
    names = [f"photos/{number:06}.jpg" for number in range(5000)]
    more = [*names[:2500], "photos/002499b.jpg", *names[2500:]]

    before = {lease.id for lease in leases_of(names, str)}
    after = {lease.id for lease in leases_of(more, str)}

    assert len(before) > 50
    assert len(before - after) <= 3


def test_leases_are_as_large_as_they_are_meant_to_be_though_names_are_alike() -> None:
    sizes = [
        len(one.items) for one in leases_of((f"photos/{n:06}.jpg" for n in range(20_000)), str)
    ]

    assert 50 <= sum(sizes) / len(sizes) <= 75


def test_a_name_that_comes_twice_in_a_lease_is_handed_out_once() -> None:
    assert [("a", "b")] == [lease.items for lease in leases_of("aba", str)]


def test_a_small_job_is_cut_so_that_several_have_something_to_do() -> None:
    assert (4, 31, 64) == (size_for(3), size_for(1000), size_for(10**6))


@given(some.lists(some.sampled_from("abcdefgh"), max_size=60))
def test_names_that_came_before_are_found(names: list[str]) -> None:
    seen: set[str] = set()
    expected = set()
    for place, name in enumerate(names):
        if name in seen:
            expected.add(place)
        seen.add(name)

    assert expected == repeated(names)


def test_very_many_names_pass_over_the_disk_and_are_found_all_the_same() -> None:
    names = [f"{number}" for number in range(1_200_000)]
    names += ["17", "1000000"]

    assert {1_200_000, 1_200_001} == repeated(names)


def test_of_many_who_commit_a_lease_one_wins_and_nothing_unfinished_is_left(
    tmp_path: Path,
) -> None:
    parts = parts_in(tmp_path)
    won: list[int] = []
    together = threading.Barrier(8)

    def commit(number: int) -> None:
        together.wait()
        if parts.commit("00000000000000ab", record_of([Answer(f"by {number}")])):
            won.append(number)

    threads = [threading.Thread(target=commit, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert 1 == len(won)
    assert ["00000000000000ab.jsonl"] == os.listdir(tmp_path / FOLDER)
    assert [[f"by {won[0]}", None]] == (parts.read("00000000000000ab") or {})["done"]


def test_what_is_committed_is_known_again_and_the_same_input_counts_once(tmp_path: Path) -> None:
    parts = parts_in(tmp_path)
    parts.commit("0000000000000001", record_of([Answer("a", 1), Answer("b", 2)]))
    parts.commit("0000000000000002", record_of([Answer("b", 2), Answer("c", 3)]))

    assert 2 == parts.look()
    assert parts.was_done("0000000000000002")
    assert not parts.was_done("0000000000000003")
    parts.count_once()
    assert Counter("abc") == names_in(parts)[0]


def test_a_file_that_is_not_whole_is_done_again(tmp_path: Path) -> None:
    parts = parts_in(tmp_path)
    parts.commit("0000000000000001", record_of([Answer("a", 1)]))
    path = tmp_path / FOLDER / "0000000000000001.jsonl"
    path.write_bytes(path.read_bytes()[:-3])
    parts.look()

    assert ["0000000000000001"] == parts.forget_damaged()
    assert not parts.was_done("0000000000000001")
    assert not path.exists()


def test_the_first_who_begins_a_job_decides_and_another_job_is_refused(tmp_path: Path) -> None:
    assert {"size": 8} == parts_in(tmp_path).adopt({"model": "m"}, {"size": 8}, None)
    assert {"size": 8} == parts_in(tmp_path).adopt({"model": "m"}, {"size": 64}, None)

    with pytest.raises(UsageError, match="another model"):
        parts_in(tmp_path).adopt({"model": "other"}, {"size": 8}, None)
    parts_in(tmp_path).commit("0000000000000001", record_of([]))
    with pytest.raises(UsageError, match="already contains a job"):
        parts_in(tmp_path).adopt({"model": "m"}, {"size": 8}, resume=False)


def test_a_job_of_which_nothing_came_may_be_begun_anew(tmp_path: Path) -> None:
    parts_in(tmp_path).adopt({"model": "m"}, {"size": 8}, resume=False)

    assert {"size": 9} == parts_in(tmp_path).adopt({"model": "other"}, {"size": 9}, resume=False)


def test_files_that_are_not_ours_are_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "results.csv").write_text("mine")

    with pytest.raises(UsageError, match=r"already has a results\.csv"):
        parts_in(tmp_path).adopt({}, {"size": 8}, None, ("results.csv",))


@pytest.mark.parametrize("text", ["3/3", "1", "a/2", "-1/2", "1/0", "0/"])
def test_what_is_no_shard_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match=r"I counts from 0 to N-1"):
        shard_of(text)


def test_a_job_has_finished_when_all_shards_of_the_last_division_have() -> None:
    def standing(began: float, finished: bool) -> Standing:
        return Standing("host", began, began, finished)

    two = {"0-of-2": standing(1, True), "1-of-2": standing(2, True)}
    assert Status(0, {}, 1, None, 0, two, 5).finished
    more = two | {"2-of-3": standing(3, True)}
    assert (0, 1) == Status(0, {}, 1, None, 0, more, 5).missing


@pytest.mark.death
def test_a_shard_answers_each_of_its_inputs_once_though_some_kill(tmp_path: Path) -> None:
    acts = {7: "segfault", 50: "kill", 51: "abort", 120: "throw"}
    items = [{"n": n, **({"run": acts[n]} if n in acts else {})} for n in range(200)]
    parts = parts_in(tmp_path)
    executor = ShardExecutor(terms(), leases_of(items, number_of, 16), parts)

    outcomes = [one for several in executor.run() for one in several]

    assert executor.finished
    assert sorted(acts) == sorted(one.item["n"] for one in outcomes if one.death is not None)
    assert all(one.verdict and one.host for one in outcomes if one.death is not None)
    names, causes = names_in(parts)
    assert Counter(str(n) for n in range(200)) == names
    assert {"7", "50", "51", "120"} == set(causes)


@pytest.mark.death
def test_what_is_committed_survives_the_end_of_a_shard_at_any_moment(tmp_path: Path) -> None:
    items = [{"n": n} for n in range(300)]
    parts = parts_in(tmp_path)
    before: list[Outcome] = []
    running = ShardExecutor(terms(), leases_of(items, number_of, 8), parts).run()
    while len(before) < 60:
        before += next(running)
    running.close()  # type: ignore[attr-defined]  # a generator

    parts.look()
    left = (one for one in leases_of(items, number_of, 8) if not parts.was_done(one.id))
    after = [one for several in ShardExecutor(terms(), left, parts).run() for one in several]

    assert Counter(str(n) for n in range(300)) == names_in(parts)[0]
    told = {one.item["n"] for one in before}
    assert not told & {one.item["n"] for one in after}


@pytest.mark.death
def test_a_worker_that_somebody_kills_costs_a_shard_nothing(tmp_path: Path) -> None:
    items = [{"n": n} for n in range(400)]
    executor = ShardExecutor(terms(), leases_of(items, number_of, 8), parts_in(tmp_path))
    killed = 0
    for _ in executor.run():
        pid = executor.worker_pid
        if pid is not None and killed < 3:
            with suppress(ProcessLookupError):  # it may have been replaced since
                os.kill(pid, signal.SIGKILL)
                killed += 1

    assert 3 == killed
    assert Counter(str(n) for n in range(400)) == names_in(parts_in(tmp_path))[0]


def test_a_task_that_fails_with_any_input_ends_the_shard(tmp_path: Path) -> None:
    task = TaskName(
        "fragile_task:make", {"unable": "throw"}, ("fragile_task", "outlive.jobs.worker")
    )
    broken = Terms(task, number_of, nowhere)

    with pytest.raises(CannotWork, match="this one is bad"):
        list(ShardExecutor(broken, leases_of([{"n": 1}], number_of), parts_in(tmp_path)).run())


@pytest.fixture(params=["memory", "file"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> StoreStorage:
    """An address without a folder of its own, and one with."""
    pytest.importorskip("fsspec", reason="fsspec is not installed: pip install 'outlive[stores]'")
    place = {"memory": f"memory://{tmp_path.name}", "file": f"file://{tmp_path}/job"}
    return StoreStorage(place[request.param])


def test_a_lease_in_a_store_is_kept_once_and_found_again(store: StoreStorage) -> None:
    parts = Parts(store)

    assert {"size": 8} == parts.adopt({"model": "m"}, {"size": 8}, None)
    assert parts.commit("00000000000000ab", record_of([Answer("first", 1)]))
    assert not parts.commit("00000000000000ab", record_of([Answer("second", 2)]))
    assert 1 == parts.look()
    assert [["first", 1]] == [one for record in parts.records() for one in record["done"]]
    assert {"size": 8} == parts.adopt({"model": "m"}, {"size": 64}, None)
    store.remove("parts/00000000000000ab.jsonl")
    assert 0 == parts.look()
    assert store.read("nothing") is None


def test_an_address_with_a_password_is_refused_and_not_repeated() -> None:
    with pytest.raises(UsageError) as refused:
        StoreStorage("s3://AKIA:secret@bucket/out")

    assert "secret" not in str(refused.value)
    assert "environment" in refused.value.help


def test_an_actor_and_a_shard_open_the_same_place(tmp_path: Path) -> None:
    assert isinstance(storage_at(str(tmp_path)), FolderStorage)
    assert str(tmp_path) == storage_at(str(tmp_path)).address


def test_a_lease_that_is_lost_again_and_again_is_divided_until_the_input_is_found() -> None:
    lease = Lease("00000000000000ab", tuple({"n": n} for n in range(8)))
    losses = Losses()
    waiting, whole, lost = [lease], [], []
    while waiting:
        mine = waiting.pop()
        if any(item["n"] == 5 for item in mine.items):
            again = losses.lost(mine)
            waiting += again
            if not again:
                lost.append(item_of(mine)["n"])
                whole.append(losses.done(mine, [(0, Outcome(item_of(mine), "lost"))]))
        else:
            values = [(at, Outcome(item, item["n"])) for at, item in enumerate(mine.items)]
            whole.append(losses.done(mine, values))

    assert [5] == lost
    (found,) = [one for one in whole if one is not None]
    assert lease is found[0]
    assert [0, 1, 2, 3, 4, "lost", 6, 7] == [one.value for _, one in sorted(found[1].items())]


def test_a_lease_that_was_lost_beside_another_is_suspected_and_never_divided_for_that() -> None:
    lease = Lease("00000000000000ab", ({"n": 1}, {"n": 2}))
    losses = Losses()

    assert not losses.is_suspect(lease)
    for _ in range(9):
        assert [lease] == losses.lost(lease, alone=False)
    assert losses.is_suspect(lease)


def test_a_lease_that_was_lost_with_its_node_and_then_done_is_forgiven() -> None:
    lease = Lease("00000000000000ab", ({"n": 1}, {"n": 2}))
    losses = Losses()

    for _ in range(3):
        assert [lease] == losses.lost(lease)
        assert losses.done(lease, []) == (lease, {})


def test_a_package_that_is_missing_is_a_final_failure(tmp_path: Path) -> None:
    task = TaskName("fragile_task:make", {}, ("no_such_package_anywhere",))
    shard = ShardExecutor(
        Terms(task, number_of, nowhere), leases_of([{"n": 1}], number_of), parts_in(tmp_path)
    )

    with pytest.raises(WorkerFailed, match="no_such_package_anywhere") as raised:
        list(shard.run())

    assert raised.value.final
