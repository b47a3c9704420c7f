"""One function for the memory that a process can really have."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from pathlib import Path

import pytest
from limited import enter, memory_group, parent_group

from made_machines import GB, MB, V1_MOUNTS, limits, machine, meminfo
from outlive.inside.machine.host import Host
from outlive.inside.machine.memory_limit import effective_limit


def test_the_machine_bounds_what_nothing_else_does(tmp_path: Path) -> None:
    limit = effective_limit(machine(tmp_path))

    assert limit.tightest is not None
    assert (32 * GB, "/proc/meminfo: MemTotal") == (limit.bytes, limit.tightest.source)
    assert 28 * GB == limit.left_bytes


@pytest.mark.parametrize(
    ("files", "expected", "source"),
    [
        ({"/sys/fs/cgroup/job/memory.max": f"{GB}"}, GB, "/sys/fs/cgroup/job/memory.max"),
        ({"/sys/fs/cgroup/memory.max": f"{GB}"}, GB, "/sys/fs/cgroup/memory.max"),
        ({"/sys/fs/cgroup/job/memory.high": f"{GB}"}, GB, "/sys/fs/cgroup/job/memory.high"),
        (
            {"/sys/fs/cgroup/job/memory.max": f"{2 * GB}", "/sys/fs/cgroup/memory.max": f"{GB}"},
            GB,
            "/sys/fs/cgroup/memory.max",
        ),
        (
            {"/proc/self/limits": limits(address_space=f"{GB} unlimited")},
            GB,
            "/proc/self/limits: Max address space",
        ),
        (
            {
                "/proc/self/mountinfo": V1_MOUNTS,
                "/proc/self/cgroup": "4:memory:/a/b\n",
                "/sys/fs/cgroup/memory/a/b/memory.limit_in_bytes": f"{2**63 - 4096}",
                "/sys/fs/cgroup/memory/a/memory.limit_in_bytes": f"{GB}",
            },
            GB,
            "/sys/fs/cgroup/memory/a/memory.limit_in_bytes",
        ),
    ],
)
def test_the_smallest_of_all_bounds_wins(
    files: dict[str, str], expected: int, source: str, tmp_path: Path
) -> None:
    limit = effective_limit(machine(tmp_path, files))

    assert limit.tightest is not None
    assert (expected, source) == (limit.bytes, limit.tightest.source)


def test_what_is_left_is_told_by_the_fullest_bound_not_by_the_smallest(tmp_path: Path) -> None:
    files = {
        "/sys/fs/cgroup/job/memory.max": f"{GB}",
        "/sys/fs/cgroup/job/memory.current": "0",
        "/proc/meminfo": meminfo(available=100 * MB),
    }

    limit = effective_limit(machine(tmp_path, files))

    assert (GB, 100 * MB) == (limit.bytes, limit.left_bytes)


def test_nothing_readable_is_no_limit_and_not_zero(tmp_path: Path) -> None:
    limit = effective_limit(Host(str(tmp_path)))

    assert (None, None, None) == (limit.bytes, limit.left_bytes, limit.tightest)


CODE = """
from outlive.inside.machine.host import Host
from outlive.inside.machine.memory_limit import effective_limit
print(effective_limit(Host()).bytes)
"""


@pytest.mark.death
def test_the_limit_of_a_real_group_and_of_its_ancestor_is_found() -> None:
    if parent_group() is None:
        if os.environ.get("OUTLIVE_NO_SKIP"):
            pytest.fail("skips are forbidden here: no memory cgroup can be made")
        pytest.skip("no memory cgroup can be made here")

    with memory_group(300) as outer, memory_group(None, above=outer) as inner:
        done = subprocess.run(
            [sys.executable, "-c", CODE],
            preexec_fn=functools.partial(enter, inner),
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )

    assert 300_000_000 == pytest.approx(int(done.stdout), abs=4096)
