"""Several workers at once: every input is answered once, whichever of them die."""

from __future__ import annotations

import os
import random
import signal
from pathlib import Path
from typing import Any

import pytest

from outlive.jobs.executor import Executor, Outcome, TaskName
from outlive.jobs.local_executor import LocalExecutor
from outlive.jobs.schedule import DEATHS

TASK = TaskName("fragile_task:make", {"most": 8}, ("fragile_task", "outlive.jobs.worker"))


def outcomes_of(executor: Executor) -> list[Outcome]:
    return [one for some in executor.run() for one in some]


def named(outcomes: list[Outcome]) -> tuple[list[int], list[int]]:
    """The numbers of the inputs with a value, and of those that are condemned."""
    good = sorted(one.item["n"] for one in outcomes if one.death is None)
    return good, sorted(one.item["n"] for one in outcomes if one.death is not None)


def is_gone(pid: int) -> bool:
    """Whether a process has ended; that of a killed zygote may still wait to be reaped by process 1."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


@pytest.mark.death
@pytest.mark.parametrize("chunk", [None, 16])
def test_several_workers_answer_each_input_once_though_some_kill(chunk: int | None) -> None:
    acts = {7: "segfault", 50: "kill", 51: "abort", 120: "throw", 121: "exit"}
    items = [{"n": n, **({"run": acts[n]} if n in acts else {})} for n in range(200)]
    executor = LocalExecutor(TASK, items, workers=3, chunk=chunk)

    good, condemned = named(outcomes_of(executor))

    assert sorted(acts) == condemned
    assert [n for n in range(200) if n not in acts] == good


@pytest.mark.death
def test_workers_and_zygote_that_somebody_kills_cost_no_input_and_leave_no_process() -> None:
    noise = random.Random(11)
    executor = LocalExecutor(TASK, [{"n": n} for n in range(3000)], workers=3, chunk=8)
    found: list[Outcome] = []
    seen: set[int] = set()
    due = sorted(noise.sample(range(2800), 5))
    for some in executor.run():
        found += some
        pids = executor.worker_pids
        seen |= {*pids, *([executor.zygote_pid] if executor.zygote_pid else [])}
        if due and len(found) >= due[0] and pids:
            due.pop(0)
            victim = executor.zygote_pid if len(due) == 2 else noise.choice(pids)
            assert victim is not None
            os.kill(victim, signal.SIGKILL)

    assert (list(range(3000)), []) == named(found)
    assert [] == due
    assert len(seen) >= 4
    assert all(is_gone(pid) for pid in seen)


@pytest.mark.death
def test_an_input_that_hangs_a_worker_of_chunks_is_waited_for_once() -> None:
    items: list[dict[str, Any]] = [{"n": n} for n in range(60)]
    items[20]["run"] = "hang"
    executor = LocalExecutor(TASK, items, workers=2, chunk=8, deadline=2.0)

    assert ([n for n in range(60) if n != 20], [20]) == named(outcomes_of(executor))
    assert 1 == executor.progress.deaths


@pytest.mark.death
def test_inputs_that_all_kill_are_all_named() -> None:
    """A task of our own is not doubted, however many of its inputs are deadly."""
    executor = LocalExecutor(
        TASK, [{"n": n, "run": "segfault"} for n in range(6)], workers=2, chunk=2
    )

    assert ([], list(range(6))) == named(outcomes_of(executor))
    assert 6 * DEATHS == executor.progress.deaths


def test_a_run_that_is_broken_off_keeps_what_was_answered_and_leaves_no_process() -> None:
    executor = LocalExecutor(TASK, [{"n": n} for n in range(100_000)], workers=2, chunk=32)
    found: list[Outcome] = []
    running = executor.run()
    for some in running:
        found += some
        if found:
            break
    pids = executor.worker_pids
    running.close()  # type: ignore[attr-defined]  # a generator, as all of ours are

    good, condemned = named(found + executor.unheard)
    assert [] == condemned
    assert len(set(good)) == len(good) >= len(found)
    assert pids
    assert all(is_gone(pid) for pid in pids)
