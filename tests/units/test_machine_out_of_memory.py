"""The machine's own exhaustion cannot be staged on a machine that others use: the kernel's real words are given instead."""

from __future__ import annotations

import pytest

from made_evidence import MB, PID, UNITS, ask, gathered
from outlive.coroner.examine import decide
from outlive.model.findings import Confidence, EndedBy

GLOBAL = (
    "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),cpuset=/,mems_allowed=0,global_oom,"
    "task_memcg=/user.slice,task=python,pid={pid},uid=1000"
)
GLOBAL_BRIEF = (
    "Out of memory: Killed process {pid} (python) total-vm:99999kB, anon-rss:88888kB, file-rss:0kB,"
    " shmem-rss:0kB, UID:1000 pgtables:300kB oom_score_adj:0"
)
CPUSET = GLOBAL.replace("CONSTRAINT_NONE", "CONSTRAINT_CPUSET")
OF_A_GROUP = (
    "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=docker-1.scope,mems_allowed=0,"
    "oom_memcg=/job,task_memcg=/job/step,task=python,pid={pid},uid=0"
)
OF_A_GROUP_BRIEF = "Memory cgroup out of memory: Killed process {pid} (python) total-vm:9kB"
ROOMY = ["/sys/fs/cgroup/user.slice", 2, 500 * MB, 9000 * MB, 0, 0]
KILLED_IN = ["/sys/fs/cgroup/user.slice", 2, 500 * MB, 9000 * MB, 1, 0]


def slugs(**known: object) -> list[tuple[str, str]]:
    verdict = decide("run", gathered(**known), tuple(UNITS.values()))
    assert () == verdict.failures
    return [(finding.slug, finding.confidence.name) for finding in verdict.findings]


@pytest.mark.parametrize("text", [GLOBAL, GLOBAL_BRIEF, CPUSET], ids=["long", "brief", "cpuset"])
def test_the_kernels_log_proves_that_the_machine_had_none_left(text: str) -> None:
    found = slugs(kernel_lines=[text.format(pid=PID)], before=[ROOMY], after=[KILLED_IN])

    assert [("machine-out-of-memory", "PROVEN")] == found


def test_a_name_with_commas_and_numbers_does_not_deceive_the_reader_of_the_log() -> None:
    line = GLOBAL.replace("task=python", "task=a,pid=1,uid=2,b").format(pid=PID)

    assert [("machine-out-of-memory", "PROVEN")] == slugs(kernel_lines=[line])


@pytest.mark.parametrize("text", [GLOBAL, GLOBAL_BRIEF], ids=["long", "brief"])
def test_the_kill_of_another_process_is_not_this_programs(text: str) -> None:
    found = slugs(kernel_lines=[text.format(pid=PID + 1)], before=[ROOMY], after=[ROOMY])

    assert [("killed-by-process", "PROVEN")] == found


@pytest.mark.parametrize("text", [OF_A_GROUP, OF_A_GROUP_BRIEF], ids=["long", "brief"])
def test_a_groups_limit_is_not_the_machines(text: str) -> None:
    full = ["/sys/fs/cgroup/job", 2, 100 * MB, 100 * MB, 0, 5]

    found = slugs(kernel_lines=[text.format(pid=PID)], before=[full], after=[full])

    assert [("memory-limit-reached", "PROVEN")] == found


def test_without_the_log_a_risen_counter_below_every_limit_makes_it_likely() -> None:
    found = slugs(before=[ROOMY], after=[KILLED_IN], members=([PID], []))

    assert [("machine-out-of-memory", "LIKELY")] == found


def test_on_a_version_2_machine_the_top_group_has_no_counters_and_the_log_decides() -> None:
    top = ["/sys/fs/cgroup", 2, None, None, None, None]

    assert [("machine-out-of-memory", "PROVEN")] == slugs(
        kernel_lines=[GLOBAL.format(pid=PID)], before=[top], after=[top]
    )


def test_on_a_version_2_machine_without_a_log_nobody_knows_and_the_gaps_say_why() -> None:
    top = ["/sys/fs/cgroup", 2, None, None, None, None]

    verdict = decide("run", gathered(before=[top], after=[top]), tuple(UNITS.values()))

    assert () == verdict.findings
    assert {"kernel log", "oom counters"} <= verdict.gaps.keys()


def test_in_a_container_the_log_counts_by_other_numbers_and_is_not_believed() -> None:
    line = GLOBAL.format(pid=PID)

    found = slugs(kernel_lines=[line], before=[ROOMY], after=[ROOMY], own_pid_namespace=True)

    assert [("killed-by-process", "PROVEN")] == found


def test_the_finding_tells_the_memory_of_the_machine_and_who_did_it() -> None:
    view = gathered(kernel_lines=[GLOBAL.format(pid=PID)], total=16_000 * MB)

    (finding,) = ask("machine-out-of-memory", view)

    assert "16.0 GB" in finding.says and "700 MB" in finding.says
    assert EndedBy.KERNEL_OOM is finding.by
    assert Confidence.PROVEN is finding.confidence
    (line,) = [fact for fact in finding.because if fact.name == "kernel log"]
    assert line.private
    assert line.value == GLOBAL.format(pid=PID)


@pytest.mark.parametrize("killed", [15, 11])
def test_another_signal_is_never_taken_for_want_of_memory(killed: int) -> None:
    found = slugs(killed=killed, kernel_lines=[GLOBAL.format(pid=PID)])

    assert "machine-out-of-memory" not in dict(found)
