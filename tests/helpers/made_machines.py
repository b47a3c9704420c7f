"""Machines made of files, and surroundings read from them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from outlive.doctor.checkup import check_up
from outlive.doctor.look.cpu import read_cpu
from outlive.doctor.look.limits import read_limits
from outlive.doctor.look.memory import read_memory
from outlive.doctor.look.notes import Notes
from outlive.inside.machine.host import Host
from outlive.model.findings import Checked, State
from outlive.model.surroundings import Surroundings
from outlive.units.unit import check, discover

GB = 1 << 30
MB = 1 << 20
CHECKS = {unit.slug: unit for unit in discover(check)}

V1_MOUNTS = """\
36 25 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
37 25 0:31 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct
38 25 0:32 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids
"""
V2_MOUNTS = "42 32 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"

HEALTHY = {
    "/proc/self/mountinfo": V2_MOUNTS,
    "/proc/self/cgroup": "0::/job\n",
    "/proc/self/status": "Name:\tpython\nUid:\t1000\t1000\t1000\t1000\nThreads:\t1\nCpus_allowed_list:\t0-3\n",
    "/proc/self/limits": "",
    "/proc/1/status": "Uid:\t0\t0\t0\t0\nThreads:\t1\n",
    "/proc/40/status": "Uid:\t1000\t1000\t1000\t1000\nThreads:\t12\n",
    "/proc/41/status": "Uid:\t1000\t1000\t1000\t1000\nThreads:\t8\n",
    "/proc/meminfo": "",
    "/proc/cpuinfo": "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R)\n"
    "flags\t\t: fpu sse sse2 pni ssse3 fma cx16 sse4_1 sse4_2 popcnt avx f16c lahf_lm abm bmi1 avx2 bmi2 movbe\n\nprocessor\t: 1\n",
    "/sys/devices/system/cpu/online": "0-3\n",
    "/sys/fs/cgroup/job/memory.max": "max\n",
    "/sys/fs/cgroup/job/memory.current": "1000000\n",
    "/proc/sys/vm/overcommit_memory": "0\n",
    "/proc/sys/vm/max_map_count": "65530\n",
    "/proc/sys/kernel/threads-max": "100000\n",
    "/sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
}


def meminfo(
    total: int = 32 * GB,
    available: int = 28 * GB,
    free: int = 20 * GB,
    swap: int = 2 * GB,
    commit: int = 40 * GB,
    committed: int = 4 * GB,
) -> str:
    rows = {
        "MemTotal": total, "MemFree": free, "MemAvailable": available, "SwapTotal": swap,
        "CommitLimit": commit, "Committed_AS": committed,
    }  # fmt: skip
    return "".join(f"{name}:{value // 1024:>16} kB\n" for name, value in rows.items())


def limits(**changed: str) -> str:
    """``/proc/self/limits``; ``open_files="100 200"`` is soft and hard."""
    rows = {
        "Max cpu time": "unlimited unlimited",
        "Max data size": "unlimited unlimited",
        "Max stack size": "8388608 unlimited",
        "Max processes": "90000 90000",
        "Max open files": "1024 1048576",
        "Max address space": "unlimited unlimited",
    }
    rows |= {f"Max {name.replace('_', ' ')}": value for name, value in changed.items()}
    lines = [f"{'Limit':<25} {'Soft Limit':<20} {'Hard Limit':<20} Units"]
    for name, value in rows.items():
        soft, hard = value.split()
        lines.append(f"{name:<25} {soft:<20} {hard:<20} bytes")
    return "\n".join(lines) + "\n"


def machine(root: Path, files: Mapping[str, str | None] | None = None) -> Host:
    """A healthy machine with some files changed; ``None`` takes one away."""
    every = {**HEALTHY, "/proc/meminfo": meminfo(), "/proc/self/limits": limits(), **(files or {})}
    for name, content in every.items():
        if content is not None:
            path = root / name.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
    (root / "proc").mkdir(exist_ok=True)
    return Host(str(root))


def surroundings(
    root: Path,
    files: Mapping[str, str | None] | None = None,
    *,
    architecture: str = "x86_64",
    variables: Mapping[str, str] | None = None,
    **known: Any,
) -> Surroundings:
    """What the readers make of such a machine."""
    host, notes = machine(root, files), Notes()
    read_cpu(host, architecture, notes)
    read_memory(host, variables or {}, notes)
    read_limits(host, notes)
    return Surroundings(notes.facts, notes.gaps, **known)


def ask(slug: str, here: Surroundings) -> Checked:
    """The answer of one check."""
    checkup = check_up(here, [CHECKS[slug]])
    assert not checkup.failures, checkup.failures
    return checkup.checked[0]


def states(answer: Checked) -> list[State]:
    return [finding.state for finding in answer.findings]
