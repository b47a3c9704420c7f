"""Machines made of files: what is wrong with each is said by one check, with the number, and a healthy one is fine."""

from __future__ import annotations

from pathlib import Path

import pytest

from made_machines import CHECKS, GB, MB, V1_MOUNTS, ask, limits, meminfo, surroundings
from outlive.model.findings import Fact, State
from outlive.model.surroundings import Room, Surroundings

#: Checks that read the machine alone.
OF_MACHINE = (
    "emulated-cpu", "cpu-quota-small", "memory-limit-hidden", "memory-too-small", "overcommit-refused", "swap-missing",
    "huge-pages-always", "malloc-arenas-many", "open-files-limit-low", "threads-limit-low", "cpu-time-limited",
    "stack-limit-small", "address-space-limited",
)  # fmt: skip

FINE, UNKNOWN, WARNING, WILL_FAIL = State.FINE, State.UNKNOWN, State.WARNING, State.WILL_FAIL


@pytest.mark.parametrize("slug", OF_MACHINE)
def test_a_healthy_machine_is_fine(slug: str, tmp_path: Path) -> None:
    answer = ask(slug, surroundings(tmp_path))

    assert FINE == answer.state, answer


V1 = {
    "/proc/self/mountinfo": V1_MOUNTS,
    "/proc/self/cgroup": "5:cpu,cpuacct:/job\n4:memory:/job\n3:pids:/job\n",
}
MEMORY = "/sys/fs/cgroup/memory"
CPU = "/sys/fs/cgroup/cpu"

CASES = {
    "rosetta": (
        "emulated-cpu", WARNING, "Rosetta",
        {"/proc/cpuinfo": "processor\t: 0\nvendor_id\t: VirtualApple\nflags\t\t: sse sse2\n"},
    ),
    "x86 on ARM": (
        "emulated-cpu", WARNING, "ARM",
        {"/proc/cpuinfo": "processor\t: 0\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\n"},
    ),
    "generic virtual processor": (
        "emulated-cpu", WARNING, "QEMU Virtual CPU version 2.5+",
        {"/proc/cpuinfo": "processor\t: 0\nmodel name\t: QEMU Virtual CPU version 2.5+\nflags\t: sse\n"},
    ),
    "quota, version 2": (
        "cpu-quota-small", WARNING, "4 threads, but the cgroup allows only 0.5 CPUs",
        {"/sys/fs/cgroup/job/cpu.max": "50000 100000\n"},
    ),
    "quota of an ancestor": (
        "cpu-quota-small", WARNING, "only 2 CPUs",
        {"/sys/fs/cgroup/job/cpu.max": "max 100000\n", "/sys/fs/cgroup/cpu.max": "200000 100000\n"},
    ),
    "quota, version 1": (
        "cpu-quota-small", WARNING, "only 1.5 CPUs",
        {**V1, f"{CPU}/job/cpu.cfs_quota_us": "150000\n", f"{CPU}/job/cpu.cfs_period_us": "100000\n"},
    ),
    "no quota, version 1": (
        "cpu-quota-small", FINE, "no quota",
        {**V1, f"{CPU}/job/cpu.cfs_quota_us": "-1\n", f"{CPU}/job/cpu.cfs_period_us": "100000\n"},
    ),
    "quota of nearly all": ("cpu-quota-small", FINE, "3.5", {"/sys/fs/cgroup/job/cpu.max": "350000 100000"}),
    "small container, version 2": (
        "memory-limit-hidden", WARNING, "AUTOTUNE may take 10.7 GB for buffers, but only 1.1 GB are left",
        {"/sys/fs/cgroup/job/memory.max": f"{GB}\n"},
    ),
    "small container, version 1": (
        "memory-limit-hidden", WARNING, "AUTOTUNE may take 10.7 GB",
        {**V1, f"{MEMORY}/job/memory.limit_in_bytes": f"{GB}\n", f"{MEMORY}/job/memory.usage_in_bytes": "0\n"},
    ),
    "ancestor with memory.high": (
        "memory-limit-hidden", WARNING, "AUTOTUNE may take 10.7 GB",
        {"/sys/fs/cgroup/memory.high": f"{GB}\n", "/sys/fs/cgroup/memory.current": "0\n"},
    ),
    "limit above the budget": (
        "memory-limit-hidden", FINE, "AUTOTUNE may take", {"/sys/fs/cgroup/job/memory.max": f"{16 * GB}\n"}
    ),
    "no room for TensorFlow": (
        "memory-too-small", WILL_FAIL, "importing TensorFlow alone", {"/sys/fs/cgroup/job/memory.max": f"{150 * MB}\n"}
    ),
    "little room beside TensorFlow": (
        "memory-too-small", WARNING, "TensorFlow itself takes", {"/sys/fs/cgroup/job/memory.max": f"{500 * MB}\n"}
    ),
    "a full container": (
        "memory-too-small", WILL_FAIL, "of 4.3 GB are left",
        {"/sys/fs/cgroup/job/memory.max": f"{4 * GB}\n", "/sys/fs/cgroup/job/memory.current": f"{4 * GB - 100 * MB}\n"},
    ),
    "full of file cache alone": (
        "memory-too-small", FINE, "4.3 GB are left",
        {
            "/sys/fs/cgroup/job/memory.max": f"{4 * GB}\n",
            "/sys/fs/cgroup/job/memory.current": f"{4 * GB - 100 * MB}\n",
            "/sys/fs/cgroup/job/memory.stat": f"inactive_file {3 * GB}\nactive_file {600 * MB}\n",
        },
    ),
    "strict overcommit with room": (
        "overcommit-refused", WARNING, "mode 2", {"/proc/sys/vm/overcommit_memory": "2\n"}
    ),
    "strict overcommit, used up": (
        "overcommit-refused", WILL_FAIL, "can still be reserved",
        {"/proc/sys/vm/overcommit_memory": "2\n", "/proc/meminfo": meminfo(commit=5 * GB, committed=4 * GB)},
    ),
    "small machine without swap": (
        "swap-missing", WARNING, "no swap", {"/proc/meminfo": meminfo(4 * GB, 2 * GB, 1 * GB, swap=0)}
    ),
    "small container without swap": (
        "swap-missing", FINE, "No swap",
        {"/proc/meminfo": meminfo(4 * GB, 2 * GB, 1 * GB, swap=0), "/sys/fs/cgroup/job/memory.max": f"{GB}\n"},
    ),
    "huge pages in a small container": (
        "huge-pages-always", WARNING, "always on",
        {"/sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never\n", "/sys/fs/cgroup/job/memory.max": f"{GB}\n"},
    ),
    "huge pages on a large machine": (
        "huge-pages-always", FINE, "always", {"/sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never\n"}
    ),
    "many processors in a small container": (
        "malloc-arenas-many", WARNING, "512 heaps",
        {"/proc/self/status": "Uid:\t0\nCpus_allowed_list:\t0-63\n", "/sys/fs/cgroup/job/memory.max": f"{8 * GB}\n"},
    ),
    "few files": ("open-files-limit-low", WARNING, "Only 256 files", {"/proc/self/limits": limits(open_files="256 4096")}),
    "files without limit": (
        "open-files-limit-low", FINE, "No limit", {"/proc/self/limits": limits(open_files="unlimited unlimited")}
    ),
    "few tasks in the container": (
        "threads-limit-low", WARNING, "Only 40 more threads",
        {"/sys/fs/cgroup/job/pids.max": "100\n", "/sys/fs/cgroup/job/pids.current": "60\n"},
    ),
    "no tasks left in the container": (
        "threads-limit-low", WILL_FAIL, "Only 0 more threads",
        {"/sys/fs/cgroup/job/pids.max": "100\n", "/sys/fs/cgroup/job/pids.current": "100\n"},
    ),
    "few threads for the user": (
        "threads-limit-low", WARNING, "Only 30 more threads", {"/proc/self/limits": limits(processes="50 50")}
    ),
    "root is not counted": (
        "threads-limit-low", FINE, "No thread limit",
        {"/proc/self/limits": limits(processes="50 50"), "/proc/self/status": "Uid:\t0\nCpus_allowed_list:\t0-3\n"},
    ),
    "an hour of processor": ("cpu-time-limited", WARNING, "3600 s", {"/proc/self/limits": limits(cpu_time="3600 3600")}),
    "a small stack": ("stack-limit-small", WARNING, "1.0 MB", {"/proc/self/limits": limits(stack_size="1048576 unlimited")}),
    "hardly any stack": ("stack-limit-small", WILL_FAIL, "131", {"/proc/self/limits": limits(stack_size="131072 131072")}),
    "a stack without end": ("stack-limit-small", FINE, "No stack limit", {"/proc/self/limits": limits(stack_size="unlimited unlimited")}),
    "ulimit -v": (
        "address-space-limited", WARNING, "4.3 GB", {"/proc/self/limits": limits(address_space=f"{4 * GB} unlimited")}
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_machine_is_judged_with_its_number(name: str, tmp_path: Path) -> None:
    slug, state, words, files = CASES[name]

    answer = ask(slug, surroundings(tmp_path, files))

    assert state == answer.state, answer
    assert any(words in finding.says for finding in answer.findings), answer
    for finding in answer.findings:
        assert FINE == finding.state or finding.remedies
        assert all(fact.source for fact in finding.because)


@pytest.mark.parametrize("slug", OF_MACHINE)
def test_what_cannot_be_read_is_not_fine(slug: str) -> None:
    answer = ask(slug, Surroundings(gaps={"cpus allowed": "no permission"}))

    # Where nothing is limited there is no file to read: the absence of a limit is an answer.
    assert answer.state is UNKNOWN or slug in ("address-space-limited", "malloc-arenas-many"), (
        answer
    )


def test_the_gap_is_told(tmp_path: Path) -> None:
    here = surroundings(tmp_path, {"/proc/self/status": "Uid:\t0\n"})

    answer = ask("cpu-quota-small", here)

    assert UNKNOWN == answer.state
    assert "/proc/self/status: Cpus_allowed_list could not be read" in answer.findings[0].says


def test_a_garbled_machine_breaks_no_check(tmp_path: Path) -> None:
    garbled = dict.fromkeys(CASES["rosetta"][3], "\x00ÿ: -1 k \n::\n0-\n")
    garbled |= {
        f"/proc/{name}": "x y z\n[\n"
        for name in ("meminfo", "self/limits", "self/status", "self/cgroup")
    }

    here = surroundings(tmp_path, garbled)

    for slug in CHECKS:
        if "cluster" not in CHECKS[slug].needs:
            ask(slug, here)


@pytest.mark.parametrize(
    "variables", [{"MALLOC_ARENA_MAX": "2"}, {"LD_PRELOAD": "/usr/lib/libjemalloc.so.2"}]
)
def test_an_allocator_that_is_set_for_it_is_fine(variables: dict[str, str], tmp_path: Path) -> None:
    files = CASES["many processors in a small container"][3]

    answer = ask("malloc-arenas-many", surroundings(tmp_path, files, variables=variables))

    assert FINE == answer.state


def shm(**known: object) -> Surroundings:
    return Surroundings(rooms=(Room("shared memory", "/dev/shm", "tmpfs", **known),))


@pytest.mark.parametrize(
    ("here", "state"),
    [
        (shm(free_bytes=64 * MB, total_bytes=64 * MB), WARNING),
        (shm(free_bytes=2 * GB, total_bytes=2 * GB), FINE),
        (shm(why_not="it does not exist"), WARNING),
        (shm(why_not="Permission denied"), UNKNOWN),
        (Surroundings(), UNKNOWN),
    ],
)
def test_shared_memory_small(here: Surroundings, state: State) -> None:
    assert state == ask("shared-memory-small", here).state


def disk(purpose: str = "temporary files", **known: object) -> Surroundings:
    return Surroundings(rooms=(Room(purpose, "/data", "ext4", **known),))


@pytest.mark.parametrize(
    ("here", "state", "words"),
    [
        (disk(free_bytes=GB, free_inodes=10**6), WARNING, "1.1 GB are free for temporary files"),
        (disk(free_bytes=10 * MB, free_inodes=10**6), WILL_FAIL, "10.5 MB"),
        (disk(free_bytes=100 * GB, free_inodes=3), WILL_FAIL, "3 inodes"),
        (disk(free_bytes=100 * GB, free_inodes=None), FINE, "107 GB"),
        (
            disk("the working directory", free_bytes=100 * GB, writable=False),
            WARNING,
            "No permission",
        ),
        (
            disk(free_bytes=100 * GB, exists=False),
            WARNING,
            "There is no folder for temporary files",
        ),
        (disk("the Keras folder", free_bytes=100 * GB, exists=False), FINE, "107 GB"),
        (disk(why_not="a network file system (nfs4) is not asked"), UNKNOWN, "nfs4"),
    ],
)
def test_disk_nearly_full(here: Surroundings, state: State, words: str) -> None:
    answer = ask("disk-nearly-full", here)

    assert state == answer.state
    assert words in answer.findings[0].says


def test_the_import_that_was_measured_counts(tmp_path: Path) -> None:
    from outlive.model.installation import Environment, Trial

    trial = Trial("tensorflow", 3.0, 0, answers={"own memory": 3 * GB})
    here = surroundings(
        tmp_path,
        {"/sys/fs/cgroup/job/memory.max": f"{4 * GB}\n"},
        python=Environment("python", (3, 11, 7), trials={"tensorflow": trial}),
    )

    answer = ask("memory-too-small", here)

    assert WARNING == answer.state, "it was imported within this very limit"
    assert Fact(
        "memory used by importing TensorFlow", 3 * GB, "a child process that imported it"
    ) in (answer.findings[0].because)
