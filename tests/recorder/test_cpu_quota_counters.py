"""What `cpu.stat` says of a quota, in the words of both versions of cgroups."""

from __future__ import annotations

from pathlib import Path

from outlive.inside.machine.cpu_quota import throttled_groups
from outlive.inside.machine.host import Host


def tree(root: Path, files: dict[str, str]) -> Host:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return Host(str(root))


def test_version_2_counts_in_microseconds_and_names_every_ancestor_with_a_quota(
    tmp_path: Path,
) -> None:
    host = tree(
        tmp_path,
        {
            "proc/self/cgroup": "0::/pod/box\n",
            "proc/self/mountinfo": "30 24 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
            "sys/fs/cgroup/pod/cpu.max": "max 100000\n",
            "sys/fs/cgroup/pod/box/cpu.max": "150000 100000\n",
            "sys/fs/cgroup/pod/box/cpu.stat": "usage_usec 9\nnr_periods 80\nnr_throttled 60\nthrottled_usec 7500000\n",
        },
    )
    assert throttled_groups(host) == [("/sys/fs/cgroup/pod/box", 1500, 80, 60, 7500)]


def test_version_1_counts_in_nanoseconds_and_has_no_quota_where_it_says_minus_one(
    tmp_path: Path,
) -> None:
    host = tree(
        tmp_path,
        {
            "proc/self/cgroup": "3:cpu,cpuacct:/box\n",
            "proc/self/mountinfo": "31 24 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n",
            "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
            "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            "sys/fs/cgroup/cpu/box/cpu.cfs_quota_us": "20000\n",
            "sys/fs/cgroup/cpu/box/cpu.cfs_period_us": "100000\n",
            "sys/fs/cgroup/cpu/box/cpu.stat": "nr_periods 50\nnr_throttled 49\nthrottled_time 4200000000\n",
        },
    )
    assert throttled_groups(host) == [("/sys/fs/cgroup/cpu/box", 200, 50, 49, 4200)]
