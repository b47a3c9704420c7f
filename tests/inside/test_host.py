"""Machines made of files: what is there is read, what is missing or garbled is None and never zero."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outlive.inside.machine.host import Host
from outlive.recorder.baseline import reading
from outlive.recorder.sampler import Sampler, process_stat

GB = 1 << 30

V1_MOUNT = (
    "36 25 0:30 {root} /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n"
    "37 25 0:31 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
)
V2_MOUNT = "42 32 0:26 {root} /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
V2_BESIDE_V1 = "43 32 0:27 / /sys/fs/cgroup/unified rw,nosuid - cgroup2 cgroup2 rw\n"


def machine(root: Path, files: Mapping[str, str | bytes]) -> Host:
    for name, content in files.items():
        path = root / name.lstrip("/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return Host(str(root))


def v1(path: str, files: Mapping[str, str], *, root: str = "/") -> dict[str, str]:
    """A machine with version 1 cgroups; files below the mount of the memory controller."""
    return {
        "/proc/self/mountinfo": V1_MOUNT.format(root=root),
        "/proc/self/cgroup": f"5:cpu,cpuacct:/elsewhere\n4:memory:{path}\n1:name=systemd:{path}\n",
    } | {f"/sys/fs/cgroup/memory/{name}": text for name, text in files.items()}


def v2(path: str, files: Mapping[str, str], *, root: str = "/") -> dict[str, str]:
    return {
        "/proc/self/mountinfo": V2_MOUNT.format(root=root),
        "/proc/self/cgroup": f"0::{path}\n",
    } | {f"/sys/fs/cgroup/{name}": text for name, text in files.items()}


def paths(host: Host, pid: int | str = "self") -> list[str]:
    return [group.path for group in host.memory_groups(pid)]


def counters(host: Host, depth: int = 0) -> list[int | None]:
    return host.read_group(host.memory_groups()[depth]).as_list()


def test_a_version_1_group_is_read(tmp_path: Path) -> None:
    host = machine(
        tmp_path,
        v1(
            "/job",
            {
                "job/memory.usage_in_bytes": f"{GB}\n",
                "job/memory.limit_in_bytes": f"{2 * GB}\n",
                "job/memory.oom_control": "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n",
                "job/memory.failcnt": "77\n",
            },
        ),
    )

    assert [1, 1] == [group.version for group in host.memory_groups()]
    assert [GB, 2 * GB, 3, 77] == counters(host)


def test_a_version_2_group_is_read(tmp_path: Path) -> None:
    host = machine(
        tmp_path,
        v2(
            "/job",
            {
                "job/memory.current": f"{GB}\n",
                "job/memory.max": f"{2 * GB}\n",
                "job/memory.events": "low 0\nhigh 0\nmax 12\noom 2\noom_kill 1\noom_group_kill 0\n",
            },
        ),
    )

    assert [2, 2] == [group.version for group in host.memory_groups()]
    assert [GB, 2 * GB, 1, 12] == counters(host)


def test_the_kills_of_the_group_itself_go_before_those_below_it(tmp_path: Path) -> None:
    files = {
        "job/memory.events": "max 12\noom_kill 9\n",
        "job/memory.events.local": "max 2\noom_kill 1\n",
    }

    host = machine(tmp_path, v2("/job", files))

    assert [None, None, 1, 2] == counters(host)


def test_a_hybrid_machine_is_read_where_its_memory_controller_is(tmp_path: Path) -> None:
    files = v1("/job", {"job/memory.usage_in_bytes": "5"})
    files["/proc/self/mountinfo"] = V2_BESIDE_V1 + files["/proc/self/mountinfo"]
    files["/proc/self/cgroup"] += "0::/user.slice\n"
    files["/sys/fs/cgroup/unified/user.slice/cgroup.procs"] = "1"

    host = machine(tmp_path, files)

    assert ["/sys/fs/cgroup/memory/job", "/sys/fs/cgroup/memory"] == paths(host)
    assert [5, None, None, None] == counters(host)


def test_the_ancestors_follow_the_group_up_to_the_mount(tmp_path: Path) -> None:
    files = {
        "a/b/c/memory.max": "max\n",
        "a/b/memory.max": f"{GB}\n",
        "a/memory.max": f"{8 * GB}\n",
    }

    host = machine(tmp_path, v2("/a/b/c", files))

    top = "/sys/fs/cgroup"
    assert [f"{top}/a/b/c", f"{top}/a/b", f"{top}/a", top] == paths(host)
    limits = [host.read_group(group).limit_bytes for group in host.memory_groups()]
    assert [None, GB, 8 * GB, None] == limits


def test_a_container_sees_its_own_group_at_the_mount(tmp_path: Path) -> None:
    files = v1("/docker/abc", {"memory.usage_in_bytes": "7"}, root="/docker/abc")

    host = machine(tmp_path, files)

    assert ["/sys/fs/cgroup/memory"] == paths(host)
    assert 7 == counters(host)[0]


def test_a_group_below_the_root_of_a_container_is_found_below_the_mount(tmp_path: Path) -> None:
    files = v1("/docker/abc/worker", {"worker/memory.usage_in_bytes": "7"}, root="/docker/abc")

    host = machine(tmp_path, files)

    assert ["/sys/fs/cgroup/memory/worker", "/sys/fs/cgroup/memory"] == paths(host)


def test_a_root_that_is_the_beginning_of_another_name_is_not_cut_off(tmp_path: Path) -> None:
    files = v1("/docker/abcdef", {"def/cgroup.procs": "1"}, root="/docker/abc")

    host = machine(tmp_path, files)

    assert ["/sys/fs/cgroup/memory"] == paths(host)


def test_in_a_cgroup_namespace_the_group_is_the_mount_itself(tmp_path: Path) -> None:
    host = machine(tmp_path, v2("/", {"memory.max": "123"}))

    assert ["/sys/fs/cgroup"] == paths(host)
    assert 123 == counters(host)[1]


def test_a_process_outside_of_the_namespace_is_not_taken_for_one_inside(tmp_path: Path) -> None:
    files = v2("/../sibling", {"sibling/memory.max": "5", "memory.max": "9"})

    host = machine(tmp_path, files)

    assert "/sys/fs/cgroup/sibling" not in paths(host)


def test_a_group_that_is_gone_leaves_its_ancestors(tmp_path: Path) -> None:
    host = machine(tmp_path, v2("/a/gone", {"a/memory.max": "max"}))

    assert ["/sys/fs/cgroup/a", "/sys/fs/cgroup"] == paths(host)


def test_the_groups_of_another_process_are_its_own(tmp_path: Path) -> None:
    files = v2("/mine", {"mine/memory.max": "1", "theirs/memory.max": "2"})
    files["/proc/99/cgroup"] = "0::/theirs\n"

    host = machine(tmp_path, files)

    assert "/sys/fs/cgroup/theirs" == paths(host, 99)[0]
    assert [] == paths(host, 100)


def test_a_colon_in_the_name_of_a_group_belongs_to_it(tmp_path: Path) -> None:
    host = machine(tmp_path, v2("/job:7", {"job:7/memory.max": "1"}))

    assert "/sys/fs/cgroup/job:7" == paths(host)[0]


def test_what_is_missing_is_none_and_not_zero(tmp_path: Path) -> None:
    for version in (v1, v2):
        root = tmp_path / version.__name__
        host = machine(root, version("/job", {"job/cgroup.procs": ""}))

        assert [None] * 4 == counters(host)

    empty = Host(str(tmp_path / "nothing"))
    assert () == empty.memory_groups()
    assert (None, None) == empty.memory()
    assert empty.machine_oom_kills() is None
    assert empty.pressure() is None
    assert {} == empty.limits()
    assert () == empty.mounts()
    assert empty.filesystem_of("/") is None
    assert process_stat(empty, 1) is None


def test_no_limit_is_no_limit_in_both_versions(tmp_path: Path) -> None:
    one = machine(
        tmp_path / "1", v1("/", {"memory.limit_in_bytes": "9223372036854771712", "x/y": ""})
    )
    two = machine(tmp_path / "2", v2("/", {"memory.max": "max\n"}))

    assert counters(one)[1] is None
    assert counters(two)[1] is None


def test_a_limit_of_zero_is_a_limit(tmp_path: Path) -> None:
    assert 0 == counters(machine(tmp_path, v2("/", {"memory.max": "0\n"})))[1]


def test_the_file_cache_of_a_group_is_counted_in_both_versions(tmp_path: Path) -> None:
    one = machine(
        tmp_path / "1",
        v1("/", {"memory.stat": "inactive_file 1\ntotal_inactive_file 30\ntotal_active_file 4\n"}),
    )
    two = machine(tmp_path / "2", v2("/", {"memory.stat": "inactive_file 30\nactive_file 4\n"}))

    assert 34 == one.group_cache(one.memory_groups()[0])
    assert 34 == two.group_cache(two.memory_groups()[0])


def test_the_members_of_a_group_are_numbers(tmp_path: Path) -> None:
    host = machine(tmp_path, v2("/job", {"job/cgroup.procs": "12\n7\n"}))

    own, top = host.memory_groups()

    assert {7, 12} == host.group_members(own)
    assert host.group_members(top) is None


def test_an_empty_group_has_no_members_which_is_not_unknown(tmp_path: Path) -> None:
    host = machine(tmp_path, v2("/", {"cgroup.procs": ""}))

    assert frozenset() == host.group_members(host.memory_groups()[0])


def test_memory_of_the_machine_is_in_bytes(tmp_path: Path) -> None:
    text = (
        "MemTotal:        2048 kB\nMemFree:  1 kB\nMemAvailable:    1024 kB\nHugePages_Total: 5\n"
    )

    host = machine(tmp_path, {"/proc/meminfo": text})

    assert (2048 * 1024, 1024 * 1024) == host.memory()
    assert 5 == host.table("/proc/meminfo")["HugePages_Total"]


def test_an_old_kernel_without_memavailable_has_a_total_and_no_guess(tmp_path: Path) -> None:
    host = machine(tmp_path, {"/proc/meminfo": "MemTotal: 2048 kB\nMemFree: 1024 kB\n"})

    assert (2048 * 1024, None) == host.memory()


def test_the_kills_of_the_machine_are_counted_since_boot(tmp_path: Path) -> None:
    host = machine(tmp_path, {"/proc/vmstat": "pgfault 5\noom_kill 4\n"})

    assert 4 == host.machine_oom_kills()


LIMITS = """\
Limit                     Soft Limit           Hard Limit           Units
Max cpu time              60                   120                  seconds
Max address space         unlimited            4000000000           bytes
Max open files            1024                 524288               files
Max realtime timeout      unlimited            unlimited            us
"""


def test_limits_have_a_soft_and_a_hard_value(tmp_path: Path) -> None:
    host = machine(tmp_path, {"/proc/self/limits": LIMITS})

    limits = host.limits()

    assert (60, 120) == limits["Max cpu time"]
    assert (None, 4_000_000_000) == limits["Max address space"]
    assert (None, None) == limits["Max realtime timeout"]
    assert 4 == len(limits)


def test_the_limits_of_this_process_are_read_like_the_made_ones() -> None:
    assert (None, None) != Host().limits()["Max open files"]


def test_mount_points_with_spaces_and_backslashes_are_unescaped(tmp_path: Path) -> None:
    line = r"99 1 8:1 / /mnt/my\040disk\134a\011b\012c rw,relatime shared:1 - ext4 /dev/sda1 rw"

    (mount,) = machine(tmp_path, {"/proc/self/mountinfo": line}).mounts()

    assert "/mnt/my disk\\a\tb\nc" == mount.point
    assert ("8:1", "/", "ext4", "rw") == (mount.device, mount.root, mount.kind, mount.options)


def test_an_escaped_backslash_before_digits_is_not_unescaped_twice(tmp_path: Path) -> None:
    line = r"99 1 8:1 / /mnt/a\134040b rw - ext4 /dev/sda1 rw"

    (mount,) = machine(tmp_path, {"/proc/self/mountinfo": line}).mounts()

    assert r"/mnt/a\040b" == mount.point


def test_a_path_lies_on_the_mount_of_its_device(tmp_path: Path) -> None:
    device = os.stat(tmp_path).st_dev
    name = f"{os.major(device)}:{os.minor(device)}"
    lines = f"1 0 {name} / / rw - ext4 a rw\n2 1 {name} / /data rw - xfs b rw\n3 1 9999:9 / /x rw - nfs c rw\n"

    host = machine(tmp_path, {"/proc/self/mountinfo": lines, "/data/file": ""})

    mount = host.filesystem_of("/data/file")
    assert mount is not None and "xfs" == mount.kind
    assert host.filesystem_of("/none") is None


PRESSURE = (
    "some avg10=1.25 avg60=0.50 avg300=0.10 total=12345\nfull avg10=9.99 avg60=0 avg300=0 total=1\n"
)


def test_pressure_is_the_share_of_the_last_ten_seconds(tmp_path: Path) -> None:
    host = machine(tmp_path, {"/proc/pressure/memory": PRESSURE})

    assert 1.25 == host.pressure()


@pytest.mark.parametrize("text", ["some avg10=", "some avg10=x", "some avg10=nan", "full avg10=3"])
def test_pressure_that_is_no_number_is_none(tmp_path: Path, text: str) -> None:
    assert machine(tmp_path, {"/proc/pressure/memory": text}).pressure() is None


@pytest.mark.parametrize("text", ["²", "٣", "9" * 5000, "-1", "1.5", "", "\x00", "12 34"])
def test_a_counter_that_is_no_plain_number_is_none(tmp_path: Path, text: str) -> None:
    host = machine(
        tmp_path,
        v2("/", {"memory.current": text, "memory.events": f"oom_kill {text}\n"})
        | {"/proc/meminfo": f"MemTotal: {text} kB\n", "/proc/self/limits": f"x\n{'a':25}{text} 1"},
    )

    reading = host.read_group(host.memory_groups()[0])

    assert reading.used_bytes is None
    assert reading.oom_kills in (None, 12)  # of "12 34" a table takes the first
    host.memory(), host.limits()


garbage = st.binary(max_size=80) | st.text(alphabet="0123456789²٣:/ \n-.,kBmaxsoe=()", max_size=80).map(
    str.encode
)  # fmt: skip
READ = (
    "/proc/self/cgroup",
    "/proc/self/mountinfo",
    "/proc/self/limits",
    "/proc/meminfo",
    "/proc/vmstat",
    "/proc/pressure/memory",
    "/proc/7/stat",
    "/proc/7/task/7/children",
    "/proc/7/fdinfo/3",
    "/proc/7/fd/3",
    "/sys/fs/cgroup/job/memory.max",
    "/sys/fs/cgroup/job/memory.current",
    "/sys/fs/cgroup/job/memory.events",
    "/sys/fs/cgroup/job/memory.stat",
    "/sys/fs/cgroup/job/cgroup.procs",
)


@settings(max_examples=60)
@given(st.lists(garbage, min_size=len(READ), max_size=len(READ)), st.booleans())
def test_garbage_in_the_files_of_a_machine_raises_nothing(
    contents: list[bytes], with_group: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files: dict[str, str | bytes] = dict(zip(READ, contents, strict=True))
        host = machine(
            Path(folder), files | ({} if not with_group else v2("/job", {"job/cgroup.freeze": ""}))
        )

        host.memory(), host.machine_oom_kills(), host.pressure(), host.limits(), host.mounts()
        host.filesystem_of("/proc")
        reading(host, host.memory_groups(), 0.0)
        sampler = Sampler(host, 7)
        for _ in range(2):
            sampler.nearness(sampler.sample())


def test_of_a_device_that_is_mounted_twice_the_mount_above_a_path_is_meant(tmp_path: Path) -> None:
    (tmp_path / "data/work").mkdir(parents=True)
    (tmp_path / "proc/self").mkdir(parents=True)
    device = (tmp_path / "data").stat().st_dev
    number = f"{os.major(device)}:{os.minor(device)}"
    lines = [
        f"{index} 1 {number} / {point} rw - ext4 /dev/sda rw\n"
        for index, point in enumerate(("/", "/data", "/run/somewhere/else"))
    ]
    (tmp_path / "proc/self/mountinfo").write_text("".join(lines))

    found = Host(str(tmp_path)).filesystem_of("/data/work")

    assert found is not None and "/data" == found.point
