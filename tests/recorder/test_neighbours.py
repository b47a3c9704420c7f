"""Who else fills the memory: machines made of files, and samples as the supervisor writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from made_evidence import MB, PID, ask, gathered, readings
from made_machines import machine
from outlive.coroner.gather.gather import gather
from outlive.inside.machine.host import GroupFolder
from outlive.model.evidence import Evidence
from outlive.recorder.neighbours import NEAR_ENOUGH, Neighbours

PAGES = 1000


def stat(pid: int, pages: int, started: int = 5) -> str:
    return f"{pid} (python) S 1 1 1 0 -1 0 0 0 0 0 7 3 0 0 20 0 1 0 {started} 9000000 {pages} 0\n"


@pytest.mark.parametrize(
    ("version", "top"), [(2, "/sys/fs/cgroup/pod"), (1, "/sys/fs/cgroup/memory/pod")]
)
def test_the_processes_of_a_group_and_of_those_below_it_are_read(
    version: int, top: str, tmp_path: Path
) -> None:
    host = machine(
        tmp_path,
        {
            f"{top}/cgroup.procs": "0\n",  # a process outside of this namespace has no number here
            f"{top}/mine/cgroup.procs": "7\n8\n",
            f"{top}/sidecar/cgroup.procs": "9\n10\n",
            "/proc/7/stat": stat(7, 5 * PAGES),
            "/proc/8/stat": stat(8, 1),
            "/proc/9/stat": stat(9, 2 * PAGES),
            "/proc/9/cmdline": "python\0feed.py\0--password\0hunter2\0",
        },
    )
    folders = (GroupFolder(f"{top}/mine", version), GroupFolder(top, version))
    counters = [
        [f"{top}/mine", version, 90 * MB, None, 0, 0],
        [top, version, 90 * MB, 100 * MB, 0, 0],
    ]
    neighbours = Neighbours(host)

    found = neighbours.look(folders, counters, {7})

    assert found is not None
    assert [9, 8] == [pid for pid, _ in found]
    assert ["python", "feed.py", "--password"] == neighbours.commands()["9"][:3]
    assert "hunter2" not in str(neighbours.commands())


def test_nothing_is_read_far_from_the_limit(tmp_path: Path) -> None:
    host = machine(tmp_path, {"/sys/fs/cgroup/cgroup.procs": "9\n", "/proc/9/stat": stat(9, PAGES)})
    far = [["/sys/fs/cgroup", 2, int(NEAR_ENOUGH * 99 * MB), 100 * MB, 0, 0]]

    assert Neighbours(host).look((GroupFolder("/sys/fs/cgroup", 2),), far, ()) is None


GROUP = "/sys/fs/cgroup/job"
KILLED = f"oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),oom_memcg=/job,task_memcg=/job,task=python,pid={PID},uid=0"


def killed_beside(
    *levels: tuple[int, int, dict[int, int]], at_end: dict[int, int] | None = None
) -> Evidence:
    """A program that is killed in a group of 600 MB; each level is what is used, its own part of that, and its neighbours, in MB."""
    frames = readings(
        before=[[GROUP, 2, 500 * MB, 600 * MB, 0, 0]],
        after=[[GROUP, 2, 300 * MB, 600 * MB, 1, 9]],
        kernel_lines=[KILLED],
        neighbours=[[pid, size * MB] for pid, size in (at_end or {}).items()],
        neighbour_commands={"77": ["/usr/bin/python3", "/srv/other.py"]},
    )
    frames[-1]["max_rss"] = max(own for _, own, _ in levels) * MB
    samples = [
        {
            "kind": "sample",
            "at": float(at),
            "rss": own * MB,
            "tree": own * MB,
            "processes": 1,
            "groups": [[GROUP, 2, used * MB, 600 * MB, 0, 0]],
            "neighbours": [[pid, size * MB] for pid, size in others.items()],
        }
        for at, (used, own, others) in enumerate(levels)
    ]
    return gather([frames[0], *samples, *frames[1:]], None)


def test_a_neighbour_that_grew_while_the_program_rested_is_named() -> None:
    view = killed_beside(
        (380, 360, {77: 20}), (450, 361, {77: 90}), (590, 361, {77: 230}), at_end={77: 239}
    )

    (found,) = ask("neighbour-filled-memory", view)

    assert "process (77, python3 other.py)" in found.says
    assert "239 MB" in found.says
    assert () == view.memory.exhausted()
    assert all(finding.where is None for finding in ask("memory-limit-reached", view))


@pytest.mark.parametrize(
    "levels",
    [
        pytest.param(((300, 20, {77: 280}), (590, 310, {77: 280})), id="a neighbour that rested"),
        pytest.param(((100, 50, {77: 50}), (590, 295, {77: 295})), id="both grew"),
        pytest.param(((500, 100, {77: 20}), (590, 190, {77: 20})), id="a file cache that gives way"),
    ],
)  # fmt: skip
def test_a_program_that_grew_itself_is_not_excused(
    levels: tuple[tuple[int, int, dict[int, int]], ...],
) -> None:
    view = killed_beside(*levels)

    assert [] == ask("neighbour-filled-memory", view)
    assert (PID,) == view.memory.exhausted()


def test_where_nobody_was_seen_to_grow_it_is_only_possible() -> None:
    view = killed_beside((380, 360, {}), (590, 361, {}))

    (found,) = ask("neighbour-filled-memory", view)

    assert "POSSIBLE" == found.confidence.name
    assert () == view.memory.exhausted(), "what rested is not accused either"


def test_one_burst_between_two_samples_is_told_by_what_is_left_after_the_death() -> None:
    view = killed_beside((370, 360, {77: 10}), at_end={77: 240})

    (found,) = ask("neighbour-filled-memory", view)

    assert "77" in found.says


def test_without_samples_nothing_is_claimed() -> None:
    view = gathered(
        after=[[GROUP, 2, 590 * MB, 600 * MB, 1, 9]],
        before=[[GROUP, 2, 590 * MB, 600 * MB, 0, 0]],
        kernel_lines=[KILLED],
    )

    assert view.memory.last_rise is None
    assert (PID,) == view.memory.exhausted()
