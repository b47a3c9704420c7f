"""A job goes on, whatever its worker dies of: real workers, real deaths, no TensorFlow."""

from __future__ import annotations

import os
import random
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limited import parent_group

from fragile_task import TOKEN
from outlive.inside.machine.host import Host
from outlive.jobs.batch_sizes import Sizes
from outlive.jobs.busy_page import BYTES, Board
from outlive.jobs.executor import CannotWork, Executor, Outcome, TaskName
from outlive.jobs.lane import VAIN_LOADS
from outlive.jobs.local_executor import LocalExecutor
from outlive.jobs.pipe_messages import Reader
from outlive.jobs.schedule import Fall, Inputs, Schedule
from outlive.jobs.worker import Worker
from outlive.jobs.worker_verdict import verdict_on_worker
from outlive.model.findings import Confidence

TASK = TaskName("fragile_task:make", {"most": 8}, ("fragile_task", "outlive.jobs.worker"))
BUDGET = 400_000_000


class Nowhere(Host):
    """A machine on which no cgroup can be made: the parent must watch memory itself."""

    def memory_groups(self, pid: int | str = "self") -> tuple[Any, ...]:
        return ()


def outcomes_of(job: Executor) -> list[Outcome]:
    return [one for some in job.run() for one in some]


def numbered(count: int, **bad: Mapping[str, Any]) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = [{"n": number} for number in range(count)]
    for name, changes in bad.items():
        items[int(name[1:])].update(changes)
    return items


def told(outcomes: Sequence[Outcome]) -> tuple[list[int], dict[int, str]]:
    """The numbers of the good ones, and the cause of death of each bad one."""
    good = sorted(one.item["n"] for one in outcomes if one.death is None)
    assert all(one.value == 2 * one.item["n"] for one in outcomes if one.death is None)
    causes = {}
    for one in outcomes:
        if one.death is not None:
            verdict = verdict_on_worker(one.death, str(one.item["n"]))
            causes[one.item["n"]] = verdict.cause.slug if verdict.cause else "unknown"
    return good, causes


@pytest.mark.death
def test_every_input_is_answered_once_and_every_bad_one_is_named() -> None:
    bad = {
        "_3": {"prepare": "throw"},
        "_17": {"prepare": "segfault"},
        "_29": {"run": "segfault"},
        "_41": {"run": "abort"},
        "_53": {"run": "throw"},
        "_60": {"prepare": "refuse"},
        "_61": {"run": "exit"},
        "_70": {"run": "leave"},
        "_77": {"run": "hang"},
    }
    job = LocalExecutor(TASK, numbered(90, **bad), deadline=3.0)

    good, causes = told(outcomes_of(job))

    assert [n for n in range(90) if f"_{n}" not in bad] == good
    assert {3, 17, 29, 41, 53, 60, 61, 70, 77} == set(causes)
    assert ("uncaught-exception", "uncaught-exception") == (causes[3], causes[53])
    assert ("oversized-image", "waiting-forever") == (causes[60], causes[77])
    assert (81, 9) == (job.progress.done, len(causes))


@pytest.mark.death
def test_a_slow_input_is_waited_for() -> None:
    slow = {"_1": {"run": "compute"}}
    job = LocalExecutor(TASK, numbered(2, **slow), deadline=0.5, patience=100.0)

    assert [2, 0] == sorted((one.value for one in outcomes_of(job)), reverse=True)


@pytest.mark.death
def test_what_computes_without_end_is_told_from_what_is_stuck() -> None:
    bad = {"_1": {"run": "compute on"}, "_2": {"run": "hang"}}
    job = LocalExecutor(TASK, numbered(3, **bad), deadline=0.6, patience=2.0)

    deaths = [one.death for one in outcomes_of(job) if one.death is not None]

    computing, stuck = (verdict_on_worker(death, "the input").cause for death in deaths)
    assert computing is not None and stuck is not None
    assert "still computing after" in computing.says and "was stuck for" in stuck.says
    assert (Confidence.POSSIBLE, Confidence.LIKELY) == (computing.confidence, stuck.confidence)


#: It has no shape: it is known as a secret because a variable with a telling name holds it.
PASSWORD = "correct-horse-battery"


@pytest.mark.parametrize(("stage", "act"), [("prepare", "leak"), ("run", "leak"), ("run", "leak unfit")])  # fmt: skip
def test_what_a_worker_tells_of_its_error_holds_no_secret_wherever_it_stands(
    stage: str, act: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DB_PASSWORD", PASSWORD)
    job = LocalExecutor(TASK, numbered(3, _1={stage: act}))

    (death,) = [one.death for one in outcomes_of(job) if one.death is not None]

    told = f"{death.thrown} {verdict_on_worker(death, '1')} {job.progress}"
    assert "***" in told
    assert PASSWORD not in told and TOKEN[4:12] not in told


def test_a_task_that_cannot_be_made_is_told_without_secrets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DB_PASSWORD", PASSWORD)
    task = TaskName(
        "fragile_task:make", {"unable": "leak"}, ("fragile_task", "outlive.jobs.worker")
    )

    with pytest.raises(CannotWork) as caught:
        outcomes_of(LocalExecutor(task, numbered(3)))

    assert "ValueError: ***" in caught.value.message
    assert PASSWORD not in caught.value.message and TOKEN[4:12] not in caught.value.message


@pytest.mark.death
def test_an_input_that_eats_memory_is_ended_by_the_kernel_in_a_group_of_its_own() -> None:
    if parent_group() is None:
        _forbidden("no cgroup can be made here")
    job = LocalExecutor(TASK, numbered(30, _11={"run": "eat"}), budget=BUDGET)

    good, causes = told(outcomes_of(job))

    assert job.progress.isolated
    assert [n for n in range(30) if n != 11] == good
    assert {11: "memory-limit-reached"} == causes


@pytest.mark.death
def test_without_a_group_the_parent_ends_it_in_time() -> None:
    job = LocalExecutor(TASK, numbered(30, _11={"run": "eat"}), budget=BUDGET, host=Nowhere())

    good, causes = told(outcomes_of(job))

    assert not job.progress.isolated
    assert [n for n in range(30) if n != 11] == good
    assert {11: "memory-limit-reached"} == causes


@pytest.mark.death
def test_a_worker_that_somebody_kills_costs_no_input() -> None:
    noise = random.Random(7)
    job = LocalExecutor(TASK, numbered(400))
    found: list[Outcome] = []
    due = sorted(noise.sample(range(380), 5))
    for some in job.run():
        found += some
        if due and len(found) >= due[0] and job.worker_pid:
            due.pop(0)
            victim = job.zygote_pid if len(due) == 2 else job.worker_pid
            assert victim is not None
            os.kill(victim, signal.SIGKILL)

    assert (list(range(400)), {}) == told(found)
    assert [] == due
    assert job.progress.deaths >= 4


@pytest.mark.death
def test_an_input_that_kills_its_worker_from_outside_is_condemned_in_the_end() -> None:
    good, causes = told(outcomes_of(LocalExecutor(TASK, numbered(12, _5={"run": "kill"}))))

    assert [n for n in range(12) if n != 5] == good
    assert {5} == set(causes)


def test_too_many_at_once_are_halved_until_they_fit() -> None:
    job = LocalExecutor(TASK, [{"n": number, "together": 3} for number in range(200)])

    good, causes = told(outcomes_of(job))

    assert (list(range(200)), {}) == (good, causes)
    assert job.progress.size <= 3
    assert 0 == job.progress.deaths


def test_a_job_that_is_stopped_finishes_what_was_handed_out() -> None:
    job = LocalExecutor(TASK, iter({"n": number} for number in range(10**9)))
    found: list[Outcome] = []
    for some in job.run():
        found += some
        if found:
            job.stop()

    good, causes = told(found)
    assert {} == causes
    assert list(range(len(good))) == good


@pytest.mark.death
@pytest.mark.parametrize(("act", "words"), [("throw", "this one is bad"), ("segfault", "SIGSEGV")])
def test_a_task_that_cannot_be_made_is_told_with_its_reason(act: str, words: str) -> None:
    task = TaskName("fragile_task:make", {"unable": act}, ("fragile_task",))

    with pytest.raises(CannotWork, match=words):
        outcomes_of(LocalExecutor(task, numbered(3)))


@pytest.mark.death
def test_workers_that_somebody_kills_while_they_load_say_nothing_about_the_model(
    tmp_path: Path,
) -> None:
    times = tmp_path / "times"
    times.write_bytes(bytes(VAIN_LOADS + 2))
    task = TaskName("fragile_task:make", {"unable": "kill", "times": str(times)}, ("fragile_task",))
    job = LocalExecutor(task, numbered(20))

    assert (list(range(20)), {}) == told(outcomes_of(job))
    assert VAIN_LOADS + 2 == job.progress.deaths


def test_no_process_and_no_group_is_left() -> None:
    job = LocalExecutor(TASK, numbered(5))
    outcomes_of(job)

    assert (None, None) == (job.worker_pid, job.zygote_pid)
    groups = Host().memory_groups()
    left = [name for group in groups for name in os.listdir(group.path) if "outlive-cell" in name]
    assert not [name for name in left if f"-{os.getpid()}-" in name]


class Imagined:
    """A worker in the mind: it dies of the bad ones, and sometimes by chance."""

    def __init__(self, bad: set[int], size_limit: int, noise: random.Random) -> None:
        self.bad, self.size_limit, self.noise = bad, size_limit, noise
        self.chances = 5  #: one less than what condemns

    def do(self, schedule: Schedule, waiting: list[tuple[tuple[int, ...], bool]]) -> Iterator[Any]:
        """Answer one group, or die: (done, condemned)."""
        group, _ = waiting[0]
        if self.chances and self.noise.random() < 0.1:
            self.chances -= 1
            guilty = schedule.fell(Fall.OUTSIDE, [("running", group)])
        elif len(group) > self.size_limit:
            guilty = schedule.fell(Fall.MEMORY, [("running", group)])
        elif self.bad & set(group):
            others = [("preparing", items) for items, _ in waiting[1:2]]
            guilty = schedule.fell(Fall.CRASH, [("running", group), *others])
        else:
            waiting.pop(0)
            schedule.sizes.went_well(len(group), 0.01 * len(group) ** 0.5, 0)
            for index in group:
                yield ("done", index, schedule.answered(index))
            return
        waiting.clear()
        if guilty is not None:
            yield ("condemned", guilty, schedule.answered(guilty))


@given(
    bad=st.sets(st.integers(0, 119), max_size=8),
    size_limit=st.integers(1, 40),
    seed=st.integers(0, 10**6),
)
def test_the_schedule_answers_all_condemns_the_bad_and_nobody_else(
    bad: set[int], size_limit: int, seed: int
) -> None:
    worker = Imagined(bad, size_limit, random.Random(seed))
    schedule = Schedule(Inputs(range(120)), Sizes(32))
    waiting: list[tuple[tuple[int, ...], bool]] = []
    answers: list[tuple[str, int, Any]] = []

    for _ in range(5000):
        while (order := schedule.next()) is not None:
            waiting.append((tuple(index for index, _ in order.items), order.careful))
        if schedule.is_done:
            break
        answers += worker.do(schedule, waiting)

    assert schedule.is_done
    assert sorted(range(120)) == sorted(index for _, index, _ in answers)
    assert bad == {index for what, index, _ in answers if what == "condemned"}


def test_a_size_that_failed_is_not_tried_again() -> None:
    sizes = Sizes(64)
    tried = []
    for _ in range(3000):
        count = sizes.size
        tried.append(count)
        if count > 20:
            sizes.failed(count)
        else:
            sizes.went_well(count, 1.0 / count, 0)

    failed = [count for count in tried if count > 20]
    assert sorted(set(failed)) == sorted(failed), "a size failed twice"
    assert len(failed) <= 4
    assert sizes.size >= 16


def test_a_larger_size_that_does_not_pay_is_given_up() -> None:
    sizes = Sizes(64)
    for _ in range(200):
        sizes.went_well(sizes.size, 0.1 * sizes.size if sizes.size > 4 else 0.4, 0)

    assert 4 == sizes.size


def test_a_size_that_would_not_fit_the_budget_is_not_tried() -> None:
    sizes = Sizes(64, budget=1_000_000_000)
    for _ in range(200):
        sizes.went_well(sizes.size, 1.0 / sizes.size, 100_000_000 + 60_000_000 * sizes.size)

    assert 8 == sizes.size


def _forbidden(reason: str) -> None:
    if os.environ.get("OUTLIVE_NO_SKIP"):
        pytest.fail(f"skips are forbidden here: {reason}")
    pytest.skip(reason)


def test_a_long_step_tells_that_it_goes_on() -> None:
    class Slow:
        most, room_bytes, facts = 1, None, {}

    task: Any = Slow()
    there, here = os.pipe()
    with open(os.memfd_create("board"), "wb+") as page:
        page.truncate(BYTES)
        worker = Worker(task, Board(page.fileno()), here, threads=0, budget=None)
        task.going()
        task.going()  # so soon again it says nothing
    os.close(here)

    assert [("going",)] == list(Reader(there).read())
    os.close(there)
    other = threading.Thread(target=lambda: (setattr(worker, "_told_going", 0.0), task.going()))
    other.start()
    other.join(30)
    assert ("going",) == worker.inbox.get(timeout=30), "only the main thread writes to the parent"
